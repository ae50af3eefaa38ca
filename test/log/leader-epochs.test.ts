// Leader epochs of a log: what is noted, cut, asked, and what the file says.

import { expect } from 'chai'

import { decodeEpochs, encodeEpochs, LeaderEpochs } from '../../broker/log/leader-epochs.ts'

function epochs(...entries: readonly (readonly [number, number])[]): LeaderEpochs {
  return new LeaderEpochs(entries.map(([epoch, startOffset]) => ({ epoch, startOffset })))
}

function listed({ entries }: LeaderEpochs): readonly (readonly number[])[] {
  return entries.map(({ epoch, startOffset }) => [epoch, startOffset])
}

describe('leader epochs', () => {
  const ASSIGNED: readonly (readonly [string, readonly [number, number], readonly (readonly [number, number])[]])[] = [
    ['a higher one behind the last', [7, 60], [[2, 10], [5, 40], [7, 60]]],
    ['a higher one where the last began, which left no records', [7, 40], [[2, 10], [7, 40]]],
    ['a higher one before the last', [7, 20], [[2, 10], [7, 20]]],
    ['the last one again', [5, 40], [[2, 10], [5, 40]]],
    ['the last one further on', [5, 70], [[2, 10], [5, 40]]],
    ['the last one earlier', [5, 30], [[2, 10], [5, 30]]],
    ['a known one from a replay', [2, 15], [[2, 10], [5, 40]]],
    ['an unknown one from a replay', [3, 15], [[2, 10], [5, 40]]],
    ['a lower one where the last began, which left no records', [2, 40], [[2, 10]]],
    ['an unknown lower one behind the last', [3, 50], [[2, 10], [3, 50]]],
    ['none', [-1, 50], [[2, 10], [5, 40]]]
  ]
  for (const [what, [epoch, startOffset], expected] of ASSIGNED) {
    it(`notes ${what}`, () => {
      const list = epochs([2, 10], [5, 40])
      const changed = list.assign(epoch, startOffset)
      expect(listed(list)).to.deep.equal(expected)
      expect(changed).to.equal(JSON.stringify(expected) !== JSON.stringify([[2, 10], [5, 40]]))
      expect(list.assign(epoch, startOffset), 'twice').to.equal(false)
    })
  }

  it('begins with nothing', () => {
    const list = epochs()
    expect(list.latest).to.equal(undefined)
    expect(list.endOffsetFor(0, 10)).to.equal(undefined)
    expect(list.epochAt(0)).to.equal(-1)
    expect(list.truncateFromStart(5) || list.truncateFromEnd(0)).to.equal(false)
    expect(list.assign(0, 0)).to.equal(true)
    expect(listed(list)).to.deep.equal([[0, 0]])
  })

  it('tells where an epoch ends', () => {
    const list = epochs([2, 10], [5, 40], [6, 70])
    const asked = [-1, 0, 1, 2, 3, 4, 5, 6, 7].map((epoch) => list.endOffsetFor(epoch, 100))
    expect(asked).to.deep.equal([
      undefined, { epoch: 0, endOffset: 10 }, { epoch: 1, endOffset: 10 }, { epoch: 2, endOffset: 40 },
      { epoch: 2, endOffset: 40 }, { epoch: 2, endOffset: 40 }, { epoch: 5, endOffset: 70 },
      { epoch: 6, endOffset: 100 }, undefined])
  })

  it('tells which epoch holds an offset', () => {
    const list = epochs([2, 10], [5, 40])
    expect([0, 9, 10, 39, 40, 1000].map((offset) => list.epochAt(offset))).to.deep.equal([-1, -1, 2, 2, 5, 5])
  })

  it('is cut from the end', () => {
    for (const [offset, expected] of [[41, [[2, 10], [5, 40]]], [40, [[2, 10]]], [11, [[2, 10]]], [10, []]] as const) {
      const list = epochs([2, 10], [5, 40])
      expect(list.truncateFromEnd(offset)).to.equal(expected.length < 2)
      expect(listed(list), `to ${offset}`).to.deep.equal(expected)
    }
  })

  it('is cut from the start, where the epoch that holds the offset begins now', () => {
    const CUTS = [[9, [[2, 10], [5, 40]]], [10, [[2, 10], [5, 40]]], [11, [[2, 11], [5, 40]]],
      [39, [[2, 39], [5, 40]]], [40, [[5, 40]]], [90, [[5, 90]]]] as const
    for (const [offset, expected] of CUTS) {
      const list = epochs([2, 10], [5, 40])
      expect(list.truncateFromStart(offset)).to.equal(offset > 10)
      expect(listed(list), `to ${offset}`).to.deep.equal(expected)
    }
  })

  it('forgets all', () => {
    const list = epochs([2, 10])
    list.clear()
    expect(list.entries).to.deep.equal([])
  })

  it('is written as Kafka writes it, and read back', () => {
    const list = epochs([2, 10], [5, 40])
    const text = encodeEpochs(list.entries)
    expect(text).to.equal('0\n2\n2 10\n5 40\n')
    expect(decodeEpochs(text)).to.deep.equal({ ok: true, value: list.entries })
    expect(decodeEpochs(encodeEpochs([]))).to.deep.equal({ ok: true, value: [] })
  })

  it('names the line that is garbage', () => {
    const GARBAGE = [['', 'line 1'], ['1\n0\n', 'line 1'], ['0\nx\n', 'line 2'], ['0\n2\n1 1\n', 'announces 2'],
      ['0\n1\n1\n', 'line 3'], ['0\n1\n1 1 1\n', 'line 3'], ['0\n1\n-1 1\n', 'line 3'], ['0\n2\n1 1\n1 2\n', 'line 4'],
      ['0\n2\n1 5\n2 5\n', 'line 4'], ['0\n1\n1 9007199254740992\n', 'line 3'], ['0\n1\n2147483648 1\n', 'line 3']]
    for (const [text, words] of GARBAGE) {
      const decoded = decodeEpochs(text!)
      expect(decoded.ok, text).to.equal(false)
      expect(decoded.ok ? '' : decoded.fault.message, text).to.contain(words)
    }
  })
})
