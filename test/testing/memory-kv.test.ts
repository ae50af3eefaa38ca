// Tests of the stores in memory: as the real one, and what a power loss takes.

import { expect } from 'chai'

import { memoryStores } from '../../src/testing/memory-kv.ts'
import { bytes } from '../support/bytes.ts'
import { failureOf } from '../support/failures.ts'
import { behavesAsKeyValueStore, drop, entries, put } from '../support/kv-contract.ts'

describe('memoryStores', () => {
  const shared = memoryStores()
  let paths = 0
  behavesAsKeyValueStore(shared.open, () => `store-${paths++}`)

  it('loses the lazy batches after the last sync, and no others', async () => {
    const stores = memoryStores()
    const store = await stores.open('s')
    await store.write([put('a', '1'), put('b', '1'), put('c', '1')], 'lazy')
    await store.write([put('a', '2')], 'sync')
    await store.write([put('a', '3'), drop('b'), put('d', '3')], 'lazy')
    await store.write([put('a', '4'), put('b', '4'), drop('d')], 'lazy')
    stores.losePower('s')
    expect(await failureOf(store.get(bytes('a')))).to.include({ code: 'EBADF' })
    const after = await stores.open('s')
    expect(await entries(after, 'a', 'z')).to.deep.equal(['a=2', 'b=1', 'c=1'])
    await after.write([put('e', '5')], 'sync')
    stores.losePower('s')
    expect(await entries(await stores.open('s'), 'a', 'z')).to.deep.equal(['a=2', 'b=1', 'c=1', 'e=5'])
  })

  it('loses a sync batch whose promise was still open', async () => {
    const stores = memoryStores()
    const store = await stores.open('s')
    await store.write([put('a', '1')], 'sync')
    const pending = store.write([put('a', '2')], 'sync')
    stores.losePower('s')
    await pending
    expect(await entries(await stores.open('s'), 'a', 'z')).to.deep.equal(['a=1'])
  })

  it('a lazy batch behind a pending sync is not made durable by it', async () => {
    const stores = memoryStores()
    const store = await stores.open('s')
    const pending = store.write([put('a', '1')], 'sync')
    await store.write([put('b', '1')], 'lazy')
    await pending
    stores.losePower('s')
    expect(await entries(await stores.open('s'), 'a', 'z')).to.deep.equal(['a=1'])
  })

  it('keeps everything when its owner is killed and only closes', async () => {
    const stores = memoryStores()
    const store = await stores.open('s')
    await store.write([put('a', '1')], 'lazy')
    await store.close()
    expect(await entries(await stores.open('s'), 'a', 'z')).to.deep.equal(['a=1'])
  })

  it('wipes one path', async () => {
    const stores = memoryStores()
    for (const path of ['s', 't']) await (await stores.open(path)).write([put('a', path)], 'sync')
    stores.wipe('s')
    stores.wipe('never there')
    stores.losePower('never there')
    expect(await entries(await stores.open('s'), 'a', 'z')).to.deep.equal([])
    stores.losePower('t')
    expect(await entries(await stores.open('t'), 'a', 'z')).to.deep.equal(['a=t'])
  })

  it('fails one write on demand and keeps nothing of it', async () => {
    const stores = memoryStores()
    stores.failNextWrite('s', 'EIO')
    const store = await stores.open('s')
    expect(await failureOf(store.write([put('a', '1')], 'sync'))).to.include({ code: 'EIO', path: 's' })
    await store.write([put('b', '1')], 'sync')
    expect(await entries(store, 'a', 'z')).to.deep.equal(['b=1'])
  })
})
