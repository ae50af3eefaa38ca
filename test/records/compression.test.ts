// The codecs against data of other implementations, against themselves, and against data made to exhaust memory.

import { expect } from 'chai'

import { CODECS, codecById, codecByName, type CodecName } from '../../src/records/compression.ts'
import { expansionLimit } from '../../src/records/decompression-limit.ts'
import { recordsIn } from '../../src/records/record.ts'
import { seeded } from '../support/numbers.ts'
import { NOW, hex, message, text } from './samples.ts'

/** Transactional batches of three records by Kafka's Java client 4.0.0. */
const BY_JAVA: Readonly<Record<CodecName, Uint8Array>> = {
  none: hex('00000000000000000000009fffffffff0249babb040010000000020000018bcfe568000000018bcfe5680500000000000000' +
    '07000100000003000000036c000000026b5076616c756576616c756576616c756576616c756576616c756576616c75657661' +
    '6c756576616c75650402680278026e015c000a02015076616c756576616c756576616c756576616c756576616c756576616c' +
    '756576616c756576616c7565000e000404026b0100'),
  gzip: hex('00000000000000000000006bffffffff020f2dee500011000000020000018bcfe568000000018bcfe5680500000000000000' +
    '07000100000003000000031f8b08000000000000ffcb61606060ca0e284bcc294d25826061ca60aa60ca638c61e06262245a' +
    '17031f030b0b5336230300be8bcd116e000000'),
  snappy: hex('000000000000000000000071ffffffff02527324430012000000020000018bcfe568000000018bcfe5680500000000000000' +
    '070001000000030000000382534e415050590000000001000000010000002c6e2c6c000000026b5076616c75658a05003004' +
    '02680278026e015c000a0201a2360020000e000404026b0100'),
  lz4: hex('00000000000000000000006bffffffff02015f419a0013000000020000018bcfe568000000018bcfe5680500000000000000' +
    '070001000000030000000304224d186040822b000000cf6c000000026b5076616c7565050010df0402680278026e015c000a' +
    '020136001690000e000404026b010000000000'),
  zstd: hex('000000000000000000000069ffffffff020ebb271a0014000000020000018bcfe568000000018bcfe5680500000000000000' +
    '070001000000030000000328b52ffd005864010024026c000000026b5076616c75650402680278026e015c000a0201000e00' +
    '0404026b01000200b2823e902509010000')
}

const WEIR_LOG = text('weir log '.repeat(8_000))
/** By the lz4 tool 1.9.4: linked blocks of 64 KiB with checksums and content size; blocks of 256 KiB without any. */
const LZ4_LINKED = hex('04224d185c40401901000000000011130100009f77656972206c6f67200900' +
  'ff'.repeat(256) + 'df506972206c6f83958965230000000f0900' +
  'ff'.repeat(25) + '4150206c6f6720e989c251000000006058840f')
const LZ4_BARE = hex('04224d186050fb2d0100009f77656972206c6f67200900' + 'ff'.repeat(282) + '3950206c6f672000000000')
/** By the zstd tool 1.5 from a pipe: no content size. */
const ZSTD_PIPED = hex('28b52ffd04588d00004877656972206c6f672001003419cccb11317a39c8')

function codec(name: CodecName) { return codecByName(name)! }

describe('compression: the table', () => {
  it('has the codecs under their names and numbers, and no others', () => {
    expect(CODECS.map(({ name, id }) => [id, name])).to.deep.equal(
      [[0, 'none'], [1, 'gzip'], [2, 'snappy'], [3, 'lz4'], [4, 'zstd']])
    for (const one of CODECS) {
      expect(codecByName(one.name)).to.equal(one)
      expect(codecById(one.id)).to.equal(one)
    }
    for (const id of [5, 6, 7, -1]) expect(codecById(id)).to.equal(undefined)
    for (const name of ['', 'GZIP', 'brotli', '__proto__']) expect(codecByName(name)).to.equal(undefined)
  })
})

describe('compression: data of others', () => {
  for (const [name, bytes] of Object.entries(BY_JAVA)) {
    it(`a batch by Kafka's Java client (${name})`, () => {
      expect(message(bytes)).to.equal('')
      const value = 'value'.repeat(8)
      const show = (part: Uint8Array | null) => part === null ? null : Buffer.from(part).toString()
      expect(Array.from(recordsIn(bytes), (one) => [one.offset, one.timestamp, show(one.key), show(one.value),
        one.headers.map((header) => [header.key, show(header.value)])])).to.deep.equal([
        [0, NOW, 'k', value, [['h', 'x'], ['n', null]]], [1, NOW + 5, null, value, []], [2, NOW + 2, 'k', null, []]])
    })
  }

  const others: readonly [string, CodecName, Uint8Array, Uint8Array][] = [
    ['gzip of two members', 'gzip', hex('1f8b08000000000002032b4fcd2c520000e00749e005000000' +
      '1f8b0800000000000203cbc94f0700c5683f8f03000000'), text('weir log')],
    ['raw snappy', 'snappy', hex('05 10 6865 6c6c 6f'), text('hello')],
    ['raw snappy of nothing', 'snappy', hex('00'), text('')],
    ['snappy framing without blocks', 'snappy', hex('82534e41505059 00 00000001 00000001'), text('')],
    ['snappy framing with two blocks', 'snappy',
      hex('82534e41505059 00 00000001 00000001 00000004 02 04 6865 00000005 03 08 6c6c 6f'), text('hello')],
    ['lz4 with linked blocks, all checksums and size', 'lz4', LZ4_LINKED, WEIR_LOG],
    ['lz4 with independent blocks and nothing else', 'lz4', LZ4_BARE, WEIR_LOG],
    ['lz4 of nothing', 'lz4', hex('04224d18 6040 82 00000000'), text('')],
    ['zstd without content size', 'zstd', ZSTD_PIPED, WEIR_LOG],
    ['zstd with a skippable frame', 'zstd',
      Buffer.concat([hex('502a4d18 03000000 010203'), hex('28b52ffd 20 02 110000 6869')]), text('hi')],
    ['zstd of two frames', 'zstd', Buffer.concat([ZSTD_PIPED, ZSTD_PIPED]), Buffer.concat([WEIR_LOG, WEIR_LOG])]
  ]
  for (const [what, name, bytes, content] of others) {
    it(`${what}: with room for exactly its content, not for a byte less`, () => {
      expect(Buffer.from(codec(name).decompress(bytes, content.length)).equals(content)).to.equal(true)
      if (content.length === 0) return
      expect(() => codec(name).decompress(bytes, content.length - 1)).to.throw(RangeError, String(content.length - 1))
    })
  }
})

describe('compression: our own data', () => {
  for (const one of CODECS) {
    it(`comes back as it was, within its size (${one.name})`, () => {
      const random = seeded(11)
      for (const length of [0, 1, 2, 100, 32 * 1024, 32 * 1024 + 1, 70_000, 300_000]) {
        for (const alphabet of [1, 4, 256]) {
          const content = Uint8Array.from({ length }, () => random() * alphabet)
          const compressed = one.compress(content)
          const same = Buffer.from(one.decompress(compressed, length)).equals(content)
          expect(same, `${length} of ${alphabet}`).to.equal(true)
          if (length > 0) expect(() => one.decompress(compressed, length - 1)).to.throw(RangeError, one.name)
        }
      }
    })
  }

  it('snappy comes in the framing that Java clients write, in blocks of 32 KiB', () => {
    const compressed = codec('snappy').compress(new Uint8Array(32 * 1024 + 2))
    expect(compressed.subarray(0, 16)).to.deep.equal(hex('82534e41505059 00 00000001 00000001'))
    expect(compressed.subarray(-8)).to.deep.equal(hex('00000004 02 04 0000'))
  })

  it('lz4 comes in independent blocks: Java clients read no others', () => {
    expect(codec('lz4').compress(WEIR_LOG)[4]! & 0x20).to.equal(0x20)
  })
})

describe('compression: bombs and broken data', () => {
  const MIB = 2 ** 20
  const bombs: readonly [string, CodecName, Uint8Array][] = [
    ['a raw block that claims 4 GiB', 'snappy', hex('ffffffff0f 00')],
    ['framed blocks that claim 1 GiB each', 'snappy',
      hex('82534e41505059 00 00000001 00000001' + ' 00000006 8080808004 00'.repeat(4))],
    ['a frame that claims 2 MiB and has it', 'zstd',
      hex('28b52ffd c0 38 0000200000000000' + ' 020010 00'.repeat(15) + ' 030010 00')],
    ['64 runs of 128 KiB, no content size', 'zstd', hex('28b52ffd 00 38' + ' 020010 00'.repeat(63) + ' 030010 00')],
    ['a match of 2 MiB in a block of 4 MiB', 'lz4',
      hex(`04224d18 6070 73 2c200000 1f 00 0100 ${'ff'.repeat(8225)} 00 50 ${'00'.repeat(5)} 00000000`)]
  ]
  for (const [what, name, bytes] of bombs) {
    it(`${name}: ${what}`, () => {
      expect(() => codec(name).decompress(bytes, MIB)).to.throw(RangeError, `${name} data expands to more than ${MIB}`)
    })
  }

  const broken: readonly [string, CodecName, Uint8Array][] = [
    ['a block that claims more than it holds', 'snappy', hex('06 10 6865 6c6c 6f')],
    ['a block without its size', 'snappy', hex('ffffffffff ff')],
    ['nothing', 'snappy', hex('')],
    ['framing with a negative length', 'snappy', hex('82534e41505059 00 00000001 00000001 ffffffff')],
    ['framing cut short', 'snappy', hex('82534e41505059 00 00000001 00000001 0000')],
    ['framing of a later version', 'snappy', hex('82534e41505059 00 00000002 00000002')],
    ['nothing', 'gzip', hex('')],
    ['nothing', 'lz4', hex('')],
    ['bytes behind the frame', 'lz4', Buffer.concat([LZ4_BARE, hex('00')])],
    ['a frame that needs a dictionary', 'lz4', hex('04224d18 6140 00000000 82 00000000')],
    ['a block larger than the frame allows', 'lz4',
      hex(`04224d18 6040 82 0e010000 1f 00 0100 ${'ff'.repeat(260)} 00 50 ${'00'.repeat(5)} 00000000`)],
    ['a match before the beginning', 'lz4', hex('04224d18 6040 82 0a000000 10 00 0900 50 0000000000 00000000')],
    ['nothing', 'zstd', hex('')],
    ['skippable frames only', 'zstd', hex('502a4d18 00000000')],
    ['a frame that claims less than it holds', 'zstd', hex('28b52ffd 20 01 110000 6869')],
    ['a frame that claims more than it holds', 'zstd', hex('28b52ffd 20 03 110000 6869')],
    ['a frame that claims more than its blocks can hold', 'zstd', hex('28b52ffd a0 00000010 110000 6869')],
    ['a frame that claims 2^62 bytes', 'zstd', hex('28b52ffd c0 38 0000000000000040 110000 6869')],
    ['a frame that needs a dictionary', 'zstd', hex('28b52ffd 21 01 02 110000 6869')],
    ['a block of reserved type', 'zstd', hex('28b52ffd 20 02 170000 6869')],
    ['a wrong checksum', 'zstd', hex('28b52ffd 24 02 110000 6869 00000000')]
  ]
  for (const [what, name, bytes] of broken) {
    it(`${name}: ${what}`, () => {
      expect(() => codec(name).decompress(bytes, MIB)).to.throw(Error).that.is.not.instanceOf(RangeError)
    })
  }

  it('every truncation is an error, and the next call works', () => {
    for (const one of CODECS.slice(1)) {
      const compressed = one.compress(WEIR_LOG)
      const step = Math.ceil(compressed.length / 200)
      for (let end = 0; end < compressed.length; end += step) {
        // The framing of snappy has no end of its own: at the edge of a block less is whole.
        if (one.name === 'snappy' && end === 16) continue
        try {
          const part = one.decompress(compressed.subarray(0, end), MIB)
          expect(one.name, `cut to ${end} gave ${part.length} bytes`).to.equal('snappy')
          expect(part.length).to.be.lessThan(WEIR_LOG.length)
        } catch (error) {
          expect(error).to.be.instanceOf(Error)
          expect((error as Error).name).not.to.equal('AssertionError')
        }
      }
      expect(one.decompress(compressed, MIB).length).to.equal(WEIR_LOG.length)
    }
  })

  it('the limit is a hundredfold, at least 1 MiB, at most 64 MiB', () => {
    expect([0, 10_485, 10_486, 671_088, 671_089, 2 ** 30].map(expansionLimit)).to.deep.equal(
      [MIB, MIB, 1_048_600, 67_108_800, 64 * MIB, 64 * MIB])
  })
})
