// What people read and write: tables, lines, the text form of a record, sizes.

import { expect } from 'chai'

import { linesOf } from '../../src/cli/lines.ts'
import { UsageError } from '../../src/cli/parse.ts'
import { parsePrintFormat } from '../../src/cli/print-format.ts'
import { bytesText, startProgress } from '../../src/cli/progress.ts'
import { facts, table } from '../../src/cli/table.ts'
import { failureOf } from '../support/failures.ts'
import { seeded } from '../support/numbers.ts'
import { chunksOf } from './fake-shell.ts'

async function linesFrom(chunks: readonly Uint8Array[], max?: number): Promise<string[]> {
  const lines: string[] = []
  for await (const some of linesOf(chunksOf(chunks), max)) {
    lines.push(...some.map((line) => Buffer.from(line).toString('latin1')))
  }
  return lines
}

describe('table', () => {
  it('aligns text to the left, numbers to the right, and trims', () => {
    expect(table(['name', 'n'], [['a', 5], ['long name', 1_000]])).to.equal(
      'NAME          N\na             5\nlong name  1000\n')
  })

  it('shows nothing as a dash, and no control character', () => {
    expect(table(['a', 'b'], [['x\u001b[2J\n', null], ['', undefined]])).to.equal(
      'A             B\nx\\u001b[2J\\n  -\n-             -\n')
  })

  it('stands without rows', () => { expect(table(['a', 'b'], [])).to.equal('A  B\n') })

  it('aligns facts', () => { expect(facts([['a', 1], ['bcd', 'x']])).to.equal('a    1\nbcd  x\n') })
})

describe('linesOf', () => {
  it('keeps bytes as they are, empty lines and a last line without an end', async () => {
    expect(await linesFrom([Buffer.from('a\r\n\nb\xff', 'latin1')])).to.deep.equal(['a\r', '', 'b\xff'])
    expect(await linesFrom([Buffer.from('a\n')])).to.deep.equal(['a'])
    expect(await linesFrom([])).to.deep.equal([])
    expect(await linesFrom([Buffer.from('\n')])).to.deep.equal([''])
  })

  it('does not care where chunks are cut', async () => {
    const random = seeded(7)
    for (let round = 0; round < 200; round++) {
      const text = Array.from({ length: 30 }, () => random() < 0.3 ? '\n' : 'x').join('')
      const chunks: Buffer[] = []
      for (let at = 0; at < text.length;) {
        const size = Math.floor(random() * 6)
        chunks.push(Buffer.from(text.slice(at, at + size)))
        at += size
      }
      const wanted = text.split('\n')
      if (wanted.at(-1) === '') wanted.pop()
      expect(await linesFrom(chunks), JSON.stringify(text)).to.deep.equal(wanted)
    }
  })

  it('is bounded', async () => {
    const error = await failureOf(linesFrom([Buffer.from('ok\nxxxx'), Buffer.from('yyyy')], 7))
    expect(error).to.be.instanceOf(UsageError)
    expect((error as Error).message).to.contain('line 2').and.to.contain('7 bytes')
  })
})

describe('parsePrintFormat', () => {
  const record = { topic: 't', partition: 2, offset: 9, timestamp: 5, key: null, value: Buffer.from('v%o'),
    headers: [{ key: 'a', value: Buffer.from('1') }, { key: 'b', value: null }] }

  it('fills in every field once', () => {
    expect(parsePrintFormat(String.raw`%t:%p:%o:%T\t%k %v %h 100%%`)(record))
      .to.equal('t:2:9:5\tnull v%o a=1,b=null 100%')
  })

  it('refuses what means nothing', () => {
    for (const format of ['%x', '%', '%v %']) expect(() => parsePrintFormat(format), format).to.throw(UsageError)
  })
})

describe('progress', () => {
  it('writes a line now and then where there is no terminal', async () => {
    let now = 0
    const written: string[] = []
    const progress = await startProgress({ total: 2048, what: 'load', show: bytesText, terminal: false,
      nowMs: () => now, write: (text) => { written.push(text) } })
    progress.update(10)
    now = 5_000
    progress.update(1024, '3 records')
    progress.update(1025)
    now = 10_000
    progress.update(2048)
    progress.stop()
    expect(written).to.deep.equal(['load: 1.0 KiB of 2.0 KiB 3 records\n', 'load: 2.0 KiB of 2.0 KiB\n'])
  })
})
