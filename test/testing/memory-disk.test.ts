// Tests of the disk in memory: what a power loss takes, planted faults, a full disk.

import { expect } from 'chai'

import { seededRandom } from '../../src/base/seeded-random.ts'
import type { DiskFile } from '../../src/ports.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { bytes, text } from '../support/bytes.ts'
import { failureOf, throwing } from '../support/failures.ts'

function contentOf(file: DiskFile): string {
  const into = new Uint8Array(file.size())
  file.readNow(into, 0)
  return text(into)
}

/** A disk with the durable, empty directory /d. */
async function diskWithDir(): Promise<MemoryDisk> {
  const disk = new MemoryDisk()
  await disk.makeDir('/d')
  await disk.syncDir('/')
  return disk
}

async function durableFile(disk: MemoryDisk, path: string, content: string): Promise<DiskFile> {
  const file = await disk.open(path, { create: true })
  file.writeNow([bytes(content)], 0)
  await file.sync()
  await disk.syncDir('/d')
  return file
}

describe('MemoryDisk as a disk', () => {
  it('writes parts in order, overwrites, and reads back', async () => {
    const disk = await diskWithDir()
    const file = disk.createNow('/d/f')
    file.writeNow([bytes('ab'), bytes('cde')], 0)
    file.writeNow([bytes('XY')], 1)
    file.writeNow([bytes('!')], 7)
    expect(file.size()).to.equal(8)
    const into = new Uint8Array(20)
    expect(await file.read(into, 0)).to.equal(8)
    expect(text(into.subarray(0, 8))).to.equal('aXYde\0\0!')
    expect(file.readNow(into, 8)).to.equal(0)
    expect(file.readNow(into.subarray(0, 2), 3)).to.equal(2)
    await file.truncate(2)
    await file.truncate(4)
    expect(contentOf(file)).to.equal('aX\0\0')
    await file.close()
    expect(throwing(() => { file.writeNow([bytes('x')], 0) })).to.include({ code: 'EBADF', path: '/d/f' })
    expect(await failureOf(file.sync())).to.include({ code: 'EBADF' })
    expect((await disk.open('/d/f', { create: false })).size()).to.equal(4)
  })

  it('does not keep the caller\'s bytes', async () => {
    const file = (await diskWithDir()).createNow('/d/f')
    const part = bytes('abc')
    file.writeNow([part], 0)
    part.fill(0)
    expect(contentOf(file)).to.equal('abc')
  })

  it('refuses as a real disk does', async () => {
    const disk = await diskWithDir()
    await (await disk.open('/d/f', { create: true })).close()
    expect(await failureOf(disk.open('/d/g', { create: false }))).to.include({ code: 'ENOENT', path: '/d/g' })
    expect(await failureOf(disk.open('/no/g', { create: true }))).to.include({ code: 'ENOENT' })
    expect(await failureOf(disk.open('/d', { create: true }))).to.include({ code: 'EISDIR' })
    expect(throwing(() => disk.createNow('/d/f'))).to.include({ code: 'EEXIST' })
    expect(await failureOf(disk.list('/no'))).to.include({ code: 'ENOENT' })
    expect(await failureOf(disk.list('/d/f'))).to.include({ code: 'ENOTDIR' })
    expect(await failureOf(disk.makeDir('/d/f/x'))).to.include({ code: 'ENOTDIR' })
    expect(await failureOf(disk.syncDir('/no'))).to.include({ code: 'ENOENT' })
    expect(await failureOf(disk.rename('/d/no', '/d/x'))).to.include({ code: 'ENOENT' })
    expect(await failureOf(disk.rename('/d', '/d/f'))).to.include({ code: 'ENOTDIR' })
    expect(await failureOf(disk.rename('/d/f', '/d'))).to.include({ code: 'EISDIR' })
  })

  it('lists, renames and removes', async () => {
    const disk = await diskWithDir()
    for (const name of ['b', 'a', 'B', '10', '9']) disk.createNow(`/d/${name}`)
    expect(await disk.list('/d')).to.deep.equal(['10', '9', 'B', 'a', 'b'])
    await disk.rename('/d/a', '/d/b')
    await disk.makeDir('/d/sub/below')
    await disk.rename('/d/sub', '/e')
    await disk.remove('/d/10')
    await disk.remove('/d/none')
    await disk.remove('/no/where')
    expect(await disk.list('/d')).to.deep.equal(['9', 'B', 'b'])
    expect(await disk.exists('/e/below')).to.equal(true)
    await disk.remove('/e')
    expect(await disk.exists('/e/below')).to.equal(false)
    expect(await disk.exists('/d/b/below-a-file')).to.equal(false)
  })

  it('locks once, until the holder lets go or the power fails', async () => {
    const disk = await diskWithDir()
    const lock = await disk.lock('/d/lock')
    expect(await failureOf(disk.lock('/d//lock'))).to.include({ code: 'EBUSY' })
    await lock.release()
    await disk.lock('/d/lock')
    await lock.release()
    expect(await failureOf(disk.lock('/d/lock'))).to.include({ code: 'EBUSY' })
    disk.losePower()
    await disk.lock('/d/lock')
    expect(await failureOf(disk.lock('/no/lock'))).to.include({ code: 'ENOENT' })
  })

  it('syncs in a later turn, when it is told to', async () => {
    const waiting: (() => void)[] = []
    const disk = new MemoryDisk({ defer: (done) => { waiting.push(done) } })
    disk.put('/f', bytes(''))
    const file = await disk.open('/f', { create: false })
    file.writeNow([bytes('a')], 0)
    let settled = false
    const sync = file.sync().then(() => { settled = true })
    await new Promise((resolve) => { setImmediate(resolve) })
    expect(settled).to.equal(false)
    waiting.shift()!()
    await sync
    expect(disk.view()).to.deep.equal([{ path: '/f', size: 1, durable: true }])
  })
})

describe('MemoryDisk after a power loss', () => {
  it('has what was synced, and nothing else of a file', async () => {
    const disk = await diskWithDir()
    const file = await durableFile(disk, '/d/f', 'synced')
    file.writeNow([bytes('SY')], 0)
    file.writeNow([bytes(' and not')], 6)
    expect(text(disk.copyOf('/d/f'))).to.equal('SYnced and not')
    expect(disk.view()).to.deep.equal([{ path: '/d/f', size: 14, durable: false }])
    disk.losePower()
    expect(text(disk.copyOf('/d/f'))).to.equal('synced')
    expect(throwing(() => { file.writeNow([bytes('x')], 0) })).to.include({ code: 'EBADF' })
    expect(await failureOf(file.sync())).to.include({ code: 'EBADF' })
    expect(disk.view()).to.deep.equal([{ path: '/d/f', size: 6, durable: true }])
  })

  it('has what was written before a sync was asked for, not what came while it ran', async () => {
    const disk = await diskWithDir()
    const file = await durableFile(disk, '/d/f', '')
    file.writeNow([bytes('before')], 0)
    const sync = file.sync()
    file.writeNow([bytes(' while')], 6)
    await sync
    disk.losePower()
    expect(text(disk.copyOf('/d/f'))).to.equal('before')
  })

  it('lacks what a sync had not finished', async () => {
    const disk = await diskWithDir()
    const file = await durableFile(disk, '/d/f', 'old')
    file.writeNow([bytes('new!')], 0)
    const sync = file.sync()
    disk.losePower()
    await sync
    expect(text(disk.copyOf('/d/f'))).to.equal('old')
  })

  it('has truncated bytes back, unless that was synced', async () => {
    const disk = await diskWithDir()
    const file = await durableFile(disk, '/d/f', 'abcdef')
    await file.truncate(2)
    file.writeNow([bytes('XYZ and more')], 2)
    disk.losePower()
    expect(text(disk.copyOf('/d/f'))).to.equal('abcdef')
    const again = await disk.open('/d/f', { create: false })
    await again.truncate(2)
    await again.sync()
    disk.losePower()
    expect(text(disk.copyOf('/d/f'))).to.equal('ab')
  })

  it('has only the directory entries that were synced', async () => {
    const disk = await diskWithDir()
    await durableFile(disk, '/d/kept', 'k')
    const lost = disk.createNow('/d/lost')
    lost.writeNow([bytes('x')], 0)
    await lost.sync()
    await disk.makeDir('/d/sub')
    await disk.rename('/d/kept', '/d/renamed')
    disk.losePower()
    expect(await disk.list('/d')).to.deep.equal(['kept'])
    await disk.rename('/d/kept', '/d/renamed')
    await disk.syncDir('/d')
    disk.losePower()
    expect(await disk.list('/d')).to.deep.equal(['renamed'])
    await disk.remove('/d/renamed')
    disk.losePower()
    expect(await disk.list('/d')).to.deep.equal(['renamed'])
    await disk.remove('/d/renamed')
    await disk.syncDir('/d')
    disk.losePower()
    expect(await disk.list('/d')).to.deep.equal([])
  })

  it('has an atomically replaced file old or new, never neither', async () => {
    const disk = await diskWithDir()
    await durableFile(disk, '/d/state', 'old')
    const replace = async () => {
      const file = await disk.open('/d/state.tmp', { create: true })
      file.writeNow([bytes('new')], 0)
      await file.sync()
      await disk.rename('/d/state.tmp', '/d/state')
    }
    await replace()
    disk.losePower()
    expect(text(disk.copyOf('/d/state'))).to.equal('old')
    await replace()
    await disk.syncDir('/d')
    disk.losePower()
    expect(text(disk.copyOf('/d/state'))).to.equal('new')
  })

  it('lacks everything under a directory whose own entry was not synced', async () => {
    const disk = new MemoryDisk()
    await disk.makeDir('/a/b')
    await (await disk.open('/a/b/f', { create: true })).sync()
    await disk.syncDir('/a/b')
    await disk.syncDir('/')
    disk.losePower()
    expect(await disk.list('/')).to.deep.equal(['a'])
    expect(await disk.list('/a')).to.deep.equal([])
  })

  it('agrees with a naive model over random writes, truncates, syncs and losses', async () => {
    for (let seed = 0; seed < 30; seed++) await compareWithModel(seed)
  })
})

async function compareWithModel(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const disk = new MemoryDisk()
  disk.put('/f', new Uint8Array(0))
  let file = await disk.open('/f', { create: false })
  let live: number[] = []
  let durable: number[] = []
  // Some files cross the border between chunks (64 KiB).
  const scale = seed % 3 === 0 ? 40_000 : 300
  for (let step = 0; step < 40; step++) {
    const kind = random.below(10)
    if (kind < 6) {
      const at = random.below(3) === 0 ? random.below(live.length + 5) : live.length
      const part = Uint8Array.from({ length: random.below(scale) }, () => random.below(256))
      file.writeNow([part.subarray(0, 3), part.subarray(3)], at)
      while (part.length > 0 && live.length < at) live.push(0)
      for (const [index, byte] of part.entries()) live[at + index] = byte
    } else if (kind < 7) {
      const size = random.below(live.length + 10)
      await file.truncate(size)
      live = Array.from({ length: size }, (_unset, index) => live[index] ?? 0)
    } else if (kind < 9) {
      const expected = [...live]
      const sync = file.sync()
      if (random.below(2) === 0) {
        file.writeNow([Uint8Array.of(7)], live.length)
        live.push(7)
      }
      await sync
      durable = expected
    } else {
      disk.losePower()
      file = await disk.open('/f', { create: false })
      live = [...durable]
    }
    expect(Buffer.compare(disk.copyOf('/f'), Uint8Array.from(live)), `seed ${seed}, step ${step}`).to.equal(0)
  }
}

describe('MemoryDisk with faults', () => {
  it('fails the next call that matches, once', async () => {
    const disk = await diskWithDir()
    const file = await durableFile(disk, '/d/0.log', 'ok')
    disk.failNext('sync', /[.]log$/, 'EIO')
    disk.failNext('write', /[.]log$/, 'ENOSPC')
    disk.failNext('open', /[.]index$/, 'EMFILE')
    disk.failNext('create', /new/, 'EIO')
    expect(throwing(() => { file.writeNow([bytes('x')], 2) })).to.include({ code: 'ENOSPC', path: '/d/0.log' })
    file.writeNow([bytes('!')], 2)
    expect(await failureOf(file.sync())).to.include({ name: 'DiskError', code: 'EIO' })
    disk.losePower()
    expect(text(disk.copyOf('/d/0.log'))).to.equal('ok')
    expect(await failureOf(disk.open('/d/0.index', { create: true }))).to.include({ code: 'EMFILE' })
    expect(throwing(() => disk.createNow('/d/new'))).to.include({ code: 'EIO' })
    disk.createNow('/d/new')
    expect((await disk.open('/d/0.index', { create: true })).size()).to.equal(0)
  })

  it('fills up: writes what fits, then ENOSPC, until something goes', async () => {
    const disk = await diskWithDir()
    const file = await durableFile(disk, '/d/f', '12345')
    disk.put('/d/g', bytes('123'))
    disk.setCapacity(10)
    file.writeNow([bytes('XX')], 0)
    expect(throwing(() => { file.writeNow([bytes('6'), bytes('789')], 5) })).to.include({ code: 'ENOSPC' })
    expect(text(disk.copyOf('/d/f'))).to.equal('XX34567')
    await disk.remove('/d/g')
    file.writeNow([bytes('89a')], 7)
    expect(throwing(() => { file.writeNow([bytes('b')], 10) })).to.include({ code: 'ENOSPC' })
  })

  it('takes files as tests make them', async () => {
    const disk = new MemoryDisk()
    disk.put('/data/t-0/0.log', bytes('abcdef'))
    disk.losePower()
    const cut = disk.copyOf('/data/t-0/0.log').subarray(0, 3)
    disk.put('/data/t-0/0.log', cut)
    disk.losePower()
    expect(text(disk.copyOf('/data/t-0/0.log'))).to.equal('abc')
    expect(throwing(() => disk.copyOf('/data/none'))).to.include({ code: 'ENOENT' })
    expect(throwing(() => disk.copyOf('/data'))).to.include({ code: 'ENOENT' })
  })
})
