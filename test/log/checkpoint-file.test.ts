// Small files: replaced whole or not at all, and refused by line when they are garbage.

import { expect } from 'chai'

import {
  decodeOffsets, encodeOffsets, readSmallBytes, readSmallFile, writeSmallFile
} from '../../broker/log/checkpoint-file.ts'
import { DiskError } from '../../src/ports.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'

const PATH = '/data/checkpoint'

async function disk(): Promise<MemoryDisk> {
  const made = new MemoryDisk()
  await made.makeDir('/data')
  await made.syncDir('/')
  return made
}

describe('small files', () => {
  it('come back as they were written, text and bytes', async () => {
    const on = await disk()
    expect(await readSmallFile(on, PATH)).to.equal(undefined)
    await writeSmallFile(on, PATH, 'größer\n')
    expect(await readSmallFile(on, PATH)).to.equal('größer\n')
    await writeSmallFile(on, PATH, Uint8Array.from([0, 255]))
    expect(await readSmallBytes(on, PATH)).to.deep.equal(Uint8Array.from([0, 255]))
    await writeSmallFile(on, PATH, '')
    expect(await readSmallFile(on, PATH)).to.equal('')
    expect(await on.list('/data')).to.deep.equal(['checkpoint'])
  })

  it('are durable when the write resolves', async () => {
    const on = await disk()
    await writeSmallFile(on, PATH, 'one')
    on.losePower()
    expect(await readSmallFile(on, PATH)).to.equal('one')
    await writeSmallFile(on, '/top', 'level')
    on.losePower()
    expect(await readSmallFile(on, '/top')).to.equal('level')
  })

  for (const op of ['open', 'write', 'sync', 'rename', 'syncDir'] as const) {
    it(`keep the old content when ${op} fails, and can be written again`, async () => {
      const on = await disk()
      await writeSmallFile(on, PATH, 'the old content, which is longer')
      on.failNext(op, /./, 'EIO')
      let error: unknown
      await writeSmallFile(on, PATH, 'new').catch((caught: unknown) => { error = caught })
      expect(error).to.be.instanceOf(DiskError).with.property('code', 'EIO')
      on.losePower()
      expect(await readSmallFile(on, PATH)).to.equal('the old content, which is longer')
      await writeSmallFile(on, PATH, 'new')
      expect(await readSmallFile(on, PATH)).to.equal('new')
    })
  }

  it('do not keep the tail of a temporary file that a crash left', async () => {
    const on = await disk()
    on.put(`${PATH}.tmp`, new Uint8Array(100).fill(0x78))
    await writeSmallFile(on, PATH, 'short')
    expect(await readSmallFile(on, PATH)).to.equal('short')
  })
})

describe('offset checkpoints', () => {
  it('are written as Kafka writes them, and read back', () => {
    const text = encodeOffsets([{ topic: 'a-b', partition: 0, offset: 12 },
      { topic: 'a-b', partition: 3, offset: Number.MAX_SAFE_INTEGER }, { topic: 'c', partition: 0, offset: 0 }])
    expect(text).to.equal('0\n3\na-b 0 12\na-b 3 9007199254740991\nc 0 0\n')
    const decoded = decodeOffsets(text)
    expect(decoded).to.deep.equal({ ok: true, value: new Map([
      ['a-b', new Map([[0, 12], [3, Number.MAX_SAFE_INTEGER]])], ['c', new Map([[0, 0]])]]) })
    expect(decodeOffsets(encodeOffsets([]))).to.deep.equal({ ok: true, value: new Map() })
  })

  it('take the smaller of two offsets', () => {
    for (const lines of ['t 0 5\nt 0 9', 't 0 9\nt 0 5']) {
      expect(decodeOffsets(`0\n2\n${lines}\n`)).to.deep.equal({ ok: true, value: new Map([['t', new Map([[0, 5]])]]) })
    }
  })

  it('name the line that is garbage', () => {
    const GARBAGE = [['', 'line 1 is ""'], ['0', 'line 2'], ['2\n0\n', 'line 1 is "2"'], ['0\n-1\n', 'line 2'],
      ['0\n1\n', 'line 2 announces 1 entries, 0 follow'], ['0\n1\nt 0 1\nt 1 1\n', '2 follow'],
      ['0\n2\nt 0 1\nt 1\n', 'line 4 is "t 1"'], ['0\n1\nt 0 1 2\n', 'line 3'], ['0\n1\nt x 1\n', 'line 3'],
      ['0\n1\nt 0 -1\n', 'line 3'], ['0\n1\nt 0 1e3\n', 'line 3'], ['0\n1\nt 0 01\n', 'line 3'],
      ['0\n1\nt 0 9007199254740992\n', 'line 3'], ['0\n1\nt 2147483648 1\n', 'line 3'], ['0\n1\n 0 1\n', 'line 3'],
      ['\u0000\u0001\ufffd', 'line 1']]
    for (const [text, words] of GARBAGE) {
      const decoded = decodeOffsets(text!)
      expect(decoded.ok, text).to.equal(false)
      expect(decoded.ok ? '' : decoded.fault.message, text).to.contain(words)
    }
  })

  it('survive any cut without a wrong answer', () => {
    const text = encodeOffsets([
      { topic: 'orders', partition: 0, offset: 123 }, { topic: 'x', partition: 1, offset: 45 }])
    for (let cut = 0; cut < text.length; cut++) {
      // Without its last line break the file is whole; a digit less in the last offset is a cut the count cannot show,
      // which is why the file is replaced and never changed in place.
      if (cut < text.length - 2) expect(decodeOffsets(text.slice(0, cut)).ok, `cut at ${cut}`).to.equal(false)
    }
  })
})
