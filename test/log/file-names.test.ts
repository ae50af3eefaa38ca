// Names of log files and partition directories: Kafka's spelling, there and back.

import { expect } from 'chai'

import {
  fatedDirName, isLeftover, offsetFileName, parseOffsetFileName, parsePartitionDir, partitionDirName
} from '../../broker/log/file-names.ts'

const ID = '0123456789abcdef0123456789abcdef'

describe('file-names', () => {
  it('pads offsets to twenty digits, so that names sort as offsets do', () => {
    expect(offsetFileName(42, '.log')).to.equal('00000000000000000042.log')
    expect(offsetFileName(Number.MAX_SAFE_INTEGER, '.timeindex')).to.equal('00009007199254740991.timeindex')
  })

  it('reads every kind of name back', () => {
    for (const suffix of ['.log', '.index', '.timeindex', '.txnindex', '.snapshot'] as const) {
      expect(parseOffsetFileName(offsetFileName(7, suffix))).to.deep.equal({ offset: 7, suffix })
    }
  })

  it('reads nothing out of other names', () => {
    for (const name of ['42.log', '00000000000000000042.log.deleted', '00000000000000000042', 'partition.metadata',
      '00000000000000000042.txt', '0000000000000000042a.log', '99999999999999999999.log',
      'x00000000000000000042.log']) {
      expect(parseOffsetFileName(name), name).to.equal(undefined)
    }
  })

  it('knows what a crash leaves behind', () => {
    expect(['a.log.deleted', 'a.log.cleaned', 'b.tmp'].every(isLeftover)).to.equal(true)
    expect(['a.log', 'a.deleted.log', 'tmp'].some(isLeftover)).to.equal(false)
  })

  it('reads partition directories back, with dashes and dots in topics', () => {
    for (const topic of ['orders', 'orders-eu', 'a-1', '-', 'x.y-z_0', `t.${ID}-deleted`]) {
      expect(parsePartitionDir(partitionDirName(topic, 12)), topic)
        .to.deep.equal({ topic, partition: 12, fate: undefined })
      for (const fate of ['delete', 'stray'] as const) {
        expect(parsePartitionDir(fatedDirName(topic, 3, ID, fate)), topic).to.deep.equal({ topic, partition: 3, fate })
      }
    }
  })

  it('keeps a name with a fate within 255 bytes', () => {
    const name = fatedDirName('t'.repeat(249), 2147483647, ID, 'delete')
    expect(name).to.have.length(255)
    expect(parsePartitionDir(name)).to.include({ partition: 2147483647, fate: 'delete' })
  })

  it('reads nothing out of other directories', () => {
    for (const name of ['lost+found', 'orders', 'orders-', '-1', 'orders-01', 'orders-x', 'orders-2147483648',
      'orders-1.deadbeef-delete', 'a b-1', 'orders--1.x']) {
      expect(parsePartitionDir(name), name).to.equal(undefined)
    }
  })
})
