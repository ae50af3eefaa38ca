// The witness file: alternates its slots, survives a torn one, refuses garbage.

import { expect } from 'chai'

import { Witness, type WitnessRecord } from '../../controller/store/witness.ts'
import { AssertionError } from '../../src/base/assert.ts'
import { DiskError } from '../../src/ports.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { refusal } from './bench.ts'

const DIR = '/data'
const PATH = '/data/witness'
const SLOTS = [0, 4096] as const
const NONE: WitnessRecord = { sequence: 0, term: 0, vote: 0, lastIndex: 0, lastTerm: 0 }

function record(sequence: number): WitnessRecord {
  return { sequence, term: sequence * 3, vote: sequence % 4, lastIndex: 2 ** 52 + sequence, lastTerm: sequence * 2 }
}

describe('Witness', () => {
  let disk: MemoryDisk
  beforeEach(async () => {
    disk = new MemoryDisk()
    await disk.makeDir(DIR)
    await disk.syncDir('/')
  })
  const opened = async (): Promise<WitnessRecord | undefined> => {
    const witness = await Witness.open(disk, DIR)
    await witness?.close()
    return witness?.current
  }

  it('is missing until it is created, and durable from then on', async () => {
    expect(await opened()).to.equal(undefined)
    await (await Witness.create(disk, DIR, NONE)).close()
    disk.losePower()
    expect(await opened()).to.deep.equal(NONE)
  })

  it('gives back the newest record, over any number of writes and reopenings', async () => {
    let witness = await Witness.create(disk, DIR, NONE)
    for (let sequence = 1; sequence <= 9; sequence++) {
      await witness.write(record(sequence))
      disk.losePower()
      const again = await Witness.open(disk, DIR)
      expect(again?.current).to.deep.equal(record(sequence))
      if (again !== undefined) witness = again
    }
  })

  it('falls back to the record before when the newest slot is torn at any byte', async () => {
    const witness = await Witness.create(disk, DIR, NONE)
    await witness.write(record(1))
    const before = disk.copyOf(PATH)
    await witness.write(record(2))
    await witness.close()
    const after = disk.copyOf(PATH)
    const torn = SLOTS.find((at) => Buffer.compare(before.subarray(at, at + 512), after.subarray(at, at + 512)) !== 0)!
    for (let bytes = 0; bytes <= 512; bytes++) {
      const mixed = before.slice()
      mixed.set(after.subarray(torn, torn + bytes), torn)
      disk.put(PATH, mixed)
      const whole = Buffer.compare(mixed, after) === 0
      const unchanged = Buffer.compare(mixed, before) === 0
      const found = await opened()
      expect(found, `${bytes} bytes`).to.deep.equal(record(whole ? 2 : 1))
      if (bytes === 0) expect(unchanged).to.equal(true)
      if (bytes === 512) expect(whole).to.equal(true)
    }
  })

  it('writes the torn slot next, not the good one', async () => {
    const witness = await Witness.create(disk, DIR, NONE)
    await witness.write(record(1))
    await witness.write(record(2))
    await witness.close()
    const bytes = disk.copyOf(PATH)
    bytes[SLOTS[0] + 20]! ^= 1
    disk.put(PATH, bytes)
    const again = await Witness.open(disk, DIR)
    expect(again?.current).to.deep.equal(record(1))
    await again?.write(record(5))
    await again?.close()
    const next = disk.copyOf(PATH)
    expect(next.subarray(SLOTS[1], SLOTS[1] + 512)).to.deep.equal(bytes.subarray(SLOTS[1], SLOTS[1] + 512))
    expect(await opened()).to.deep.equal(record(5))
  })

  it('refuses a file with no valid slot and says what to do', async () => {
    for (const bytes of [0, 511, 4608]) {
      disk.put(PATH, new Uint8Array(bytes).fill(7))
      const error = await refusal(Witness.open(disk, DIR))
      expect(error.name).to.equal('KAFKA_STORAGE_ERROR')
      expect(error.message).to.contain(PATH)
      expect(error.hint).to.match(/move \/data away/)
    }
  })

  it('finds a flipped byte anywhere in a slot', async () => {
    const witness = await Witness.create(disk, DIR, NONE)
    await witness.write(record(1))
    await witness.close()
    const good = disk.copyOf(PATH)
    for (let at = 0; at < 512; at++) {
      const bad = good.slice()
      bad[SLOTS[1] + at]! ^= 1 << at % 8
      disk.put(PATH, bad)
      expect(await opened(), `byte ${at}`).to.deep.equal(NONE)
    }
  })

  it('makes durable what it read, though the life before was killed within a sync', async () => {
    const witness = await Witness.create(disk, DIR, NONE)
    disk.failNext('sync', /witness/, 'EIO')
    await witness.write(record(1)).catch(() => undefined)
    await witness.close()
    expect(await opened()).to.deep.equal(record(1))
    disk.losePower()
    expect(await opened()).to.deep.equal(record(1))
  })

  it('never counts backwards', async () => {
    const witness = await Witness.create(disk, DIR, NONE)
    await witness.write(record(4))
    for (const sequence of [4, 3]) {
      let error: unknown
      await witness.write(record(sequence)).catch((rejected: unknown) => { error = rejected })
      expect(error).to.be.instanceOf(AssertionError)
    }
    await witness.close()
  })

  it('passes a failed sync on and keeps the record it had', async () => {
    const witness = await Witness.create(disk, DIR, NONE)
    await witness.write(record(1))
    disk.failNext('sync', /witness/, 'EIO')
    let error: unknown
    await witness.write(record(2)).catch((rejected: unknown) => { error = rejected })
    expect(error).to.be.instanceOf(DiskError)
    expect(witness.current).to.deep.equal(record(1))
    disk.losePower()
    expect(await opened()).to.deep.equal(record(1))
  })
})
