// Keeps simulated code away from the machine: its time, chance, timers, files and sockets throw while an event runs.

import crypto from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

type Table = Record<string, (...args: unknown[]) => unknown>

const OUT_OF_REACH: readonly (readonly [string, object, readonly string[]])[] = [
  ['global', globalThis, ['setTimeout', 'setInterval', 'setImmediate']],
  ['Date', Date, ['now']],
  ['Math', Math, ['random']],
  ['performance', performance, ['now']],
  ['crypto', crypto, ['randomBytes', 'randomUUID', 'randomInt', 'randomFillSync']],
  ['net', net, ['connect', 'createConnection', 'createServer']],
  ['fs', fs, ['open', 'openSync', 'read', 'readSync', 'write', 'writeSync', 'writevSync', 'fsync', 'fdatasync',
    'fsyncSync', 'readFile', 'readFileSync', 'writeFile', 'writeFileSync', 'readdir', 'readdirSync', 'rename', 'mkdir',
    'mkdirSync']],
  ['fs.promises', fs.promises, ['open', 'readFile', 'writeFile', 'readdir', 'rename', 'mkdir', 'rm']]
]

export class Forbidden {
  #active = false

  on(): void { this.#active = true }
  off(): void { this.#active = false }

  /** Returns what takes it all back. */
  install(): () => void {
    const undo: (() => void)[] = []
    for (const [name, owner, members] of OUT_OF_REACH) {
      const table = owner as Table
      for (const member of members) {
        const original = table[member]!
        const replaced = (...args: unknown[]): unknown => {
          if (this.#active) {
            this.#active = false
            throw new Error(`${name}.${member} is out of reach in a simulated world: use the ports`)
          }
          return Reflect.apply(original, owner, args)
        }
        const own = Object.getOwnPropertyDescriptor(owner, member)
        Object.defineProperty(owner, member, {
          value: Object.assign(replaced, original), configurable: true, writable: true,
          enumerable: own?.enumerable ?? false })
        undo.push(() => {
          if (own === undefined) Reflect.deleteProperty(owner, member)
          else Object.defineProperty(owner, member, own)
        })
      }
    }
    syncBuiltinESMExports()
    return () => {
      this.#active = false
      for (const step of undo.toReversed()) step()
      syncBuiltinESMExports()
    }
  }
}
