// The standing of a store: a new one has a mark and no voice, and what it seals and gets stays.

import { expect } from 'chai'

import { decodeState, encodeState } from '../../controller/store/log-codec.ts'
import { EMPTY_STATE } from '../../controller/store/load.ts'
import { AssertionError } from '../../src/base/assert.ts'
import { change, hard, memoryBench, snapshot } from './bench.ts'

const FOUNDERS = [{ id: 1, mark: 0x0123456789ac }, { id: 2, mark: 2 ** 48 }]
const MARK = FOUNDERS[0]!.mark

describe('standing of a store', () => {
  it('is a mark without a voice at first; the mark is that of the directory', async () => {
    const store = await memoryBench().open()
    expect(store.loaded.standing).to.deep.equal({ mark: MARK, voice: false, founders: [] })
    await store.close()
    const other = await memoryBench().open({ random: { id: () => 'f'.repeat(32) } })
    expect(other.loaded.standing.mark).to.equal(2 ** 48)
    await other.close()
  })

  it('keeps what was sealed, then the voice, over power losses and all other writes', async () => {
    const bench = memoryBench()
    const steps = [
      { mark: MARK, voice: false, founders: FOUNDERS }, { mark: MARK, voice: true, founders: FOUNDERS },
      { mark: MARK, voice: true, founders: [] }]
    for (const standing of steps) {
      let store = await bench.open()
      await store.save(change({ standing }))
      bench.losePower()
      store = await bench.open()
      expect(store.loaded.standing).to.deep.equal(standing)
      const { term, commit } = store.saved
      await store.save(change({ hardState: hard(term + 1, 1, commit) }))
      await store.save(change({ snapshot: snapshot(commit + 5, term + 1), hardState: hard(term + 1, 1, commit + 5) }))
      bench.losePower()
      store = await bench.open()
      expect(store.loaded.standing).to.deep.equal(standing)
      await store.close()
    }
  })

  it('never loses its voice, and never seals another list', async () => {
    const bench = memoryBench()
    const rejected = async (voice: boolean, founders: typeof FOUNDERS) => {
      const store = await bench.open()
      let error: unknown
      await store.save(change({ standing: { mark: MARK, voice, founders } }))
        .catch((reason: unknown) => { error = reason })
      await store.close()
      return error
    }
    expect(await rejected(false, FOUNDERS)).to.equal(undefined)
    expect(await rejected(false, FOUNDERS.slice(0, 1))).to.be.instanceOf(AssertionError)
    expect(await rejected(true, FOUNDERS)).to.equal(undefined)
    expect(await rejected(false, FOUNDERS)).to.be.instanceOf(AssertionError)
  })

  it('is refused when founders are missing', () => {
    const value = encodeState({ ...EMPTY_STATE, standing: { voice: true, founders: FOUNDERS } })
    expect(decodeState(value)).to.deep.include({ ok: true })
    expect(decodeState(value.subarray(0, value.length - 16)).ok).to.equal(false)
  })
})
