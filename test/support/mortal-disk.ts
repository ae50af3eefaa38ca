// A disk whose node dies at a chosen effect: that one fails, before or after it was done, and so does everything later.

import { DiskError, type Disk, type DiskFile, type DiskLock } from '../../src/ports.ts'

export interface Death { readonly at: number; readonly when: 'before' | 'after' }

export const NEVER: Death = { at: -1, when: 'before' }

export class MortalDisk implements Disk {
  readonly #disk: Disk
  readonly #death: Death
  readonly #locks: DiskLock[] = []
  readonly #onDeath: () => void
  /** Effects so far. Looks at the disk are none: nothing is different after a death at one. */
  effects = 0
  isDead = false

  /** `onDeath` is called in the turn of the last effect, before anybody hears of it. */
  constructor(disk: Disk, death: Death, onDeath: () => void = () => {}) {
    this.#disk = disk
    this.#death = death
    this.#onDeath = onDeath
  }

  /** What the system does when the process is gone. */
  async bury(): Promise<void> { for (const lock of this.#locks.splice(0)) await lock.release() }

  async open(path: string, options: { readonly create: boolean }): Promise<DiskFile> {
    return this.#file(await this.#later(() => this.#disk.open(path, options)))
  }

  createNow(path: string): DiskFile { return this.#file(this.#now(() => this.#disk.createNow(path))) }
  list(dir: string): Promise<readonly string[]> { return this.#look(() => this.#disk.list(dir)) }
  exists(path: string): Promise<boolean> { return this.#look(() => this.#disk.exists(path)) }
  makeDir(dir: string): Promise<void> { return this.#later(() => this.#disk.makeDir(dir)) }
  rename(from: string, to: string): Promise<void> { return this.#later(() => this.#disk.rename(from, to)) }
  remove(path: string): Promise<void> { return this.#later(() => this.#disk.remove(path)) }
  syncDir(dir: string): Promise<void> { return this.#later(() => this.#disk.syncDir(dir)) }

  lock(path: string): Promise<DiskLock> {
    return this.#look(async () => {
      const lock = await this.#disk.lock(path)
      this.#locks.push(lock)
      return lock
    })
  }

  #file(file: DiskFile): DiskFile {
    return {
      size: () => file.size(),
      read: (into, position) => this.#look(() => file.read(into, position)),
      readNow: (into, position) => {
        this.#mustLive()
        return file.readNow(into, position)
      },
      writeNow: (pieces, position) => { this.#now(() => { file.writeNow(pieces, position) }) },
      sync: () => this.#later(() => file.sync()),
      truncate: (size) => this.#later(() => file.truncate(size)),
      close: () => file.close()
    }
  }

  #mustLive(): void {
    if (this.isDead) throw new DiskError('EIO', '', 'the node is dead')
  }

  #dies(when: Death['when']): void {
    if (!this.isDead && this.effects === this.#death.at && when === this.#death.when) {
      this.isDead = true
      this.#onDeath()
    }
    this.#mustLive()
  }

  #now<T>(effect: () => T): T {
    if (!this.isDead) this.effects++
    this.#dies('before')
    const result = effect()
    this.#dies('after')
    return result
  }

  async #later<T>(effect: () => Promise<T>): Promise<T> {
    if (!this.isDead) this.effects++
    this.#dies('before')
    const number = this.effects
    const result = await effect()
    // Others may have come in between: it is this one's end that counts.
    if (number === this.#death.at) this.#dies('after')
    this.#mustLive()
    return result
  }

  async #look<T>(look: () => Promise<T>): Promise<T> {
    this.#mustLive()
    const seen = await look()
    this.#mustLive()
    return seen
  }
}
