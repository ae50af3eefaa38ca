// What every KeyValueStore does, run against each of them.

import { expect } from 'chai'

import type { KeyValueStore, KvOp, OpenKeyValueStore } from '../../src/ports.ts'
import { bytes, text } from './bytes.ts'
import { failureOf } from './failures.ts'

export function put(key: string, value: string): KvOp { return { kind: 'put', key: bytes(key), value: bytes(value) } }

export function drop(key: string): KvOp { return { kind: 'delete', key: bytes(key) } }

/** `key=value` of each entry in [from, to). */
export async function entries(store: KeyValueStore, from: string, to: string, limit = 1000): Promise<string[]> {
  return (await store.range(bytes(from), bytes(to), limit)).map(({ key, value }) => `${text(key)}=${text(value)}`)
}

/** `newPath` makes the path of a store that is not there yet. */
export function behavesAsKeyValueStore(open: OpenKeyValueStore, newPath: () => string): void {
  it('gets what was put, last write wins, within a batch, too', async () => {
    const store = await open(newPath())
    expect(await store.get(bytes('a'))).to.equal(undefined)
    await store.write([put('a', '1'), put('b', '2'), put('a', '3')], 'lazy')
    await store.write([drop('b'), drop('never')], 'sync')
    await store.write([], 'sync')
    expect(text((await store.get(bytes('a')))!)).to.equal('3')
    expect(await store.get(bytes('b'))).to.equal(undefined)
    await store.close()
  })

  it('keeps an empty value apart from none', async () => {
    const store = await open(newPath())
    await store.write([put('empty', '')], 'sync')
    expect((await store.get(bytes('empty')))?.length).to.equal(0)
    await store.close()
  })

  it('orders keys as unsigned bytes, prefixes first', async () => {
    const store = await open(newPath())
    const keys = [[0xff], [0x80, 1], [0x7f], [0x80], [0, 0], [0], [1], [0xff, 0xff]]
    await store.write(keys.map((key) => ({ kind: 'put', key: Uint8Array.from(key), value: new Uint8Array(1) })), 'lazy')
    const all = await store.range(Uint8Array.of(0), Uint8Array.of(0xff, 0xff), 100)
    expect(all.map(({ key }) => [...key])).to.deep.equal([[0], [0, 0], [1], [0x7f], [0x80], [0x80, 1], [0xff]])
    await store.close()
  })

  it('ranges from (inclusive) to (exclusive), up to a limit', async () => {
    const store = await open(newPath())
    await store.write(['a', 'b', 'ba', 'c', 'd'].map((key) => put(key, key.toUpperCase())), 'sync')
    expect(await entries(store, 'b', 'd')).to.deep.equal(['b=B', 'ba=BA', 'c=C'])
    expect(await entries(store, 'b', 'd', 2)).to.deep.equal(['b=B', 'ba=BA'])
    expect(await entries(store, 'b', 'd', 0)).to.deep.equal([])
    expect(await entries(store, 'bb', 'bz')).to.deep.equal([])
    expect(await entries(store, 'd', 'a')).to.deep.equal([])
    expect(await entries(store, 'a', 'a')).to.deep.equal([])
    expect(await entries(store, 'a', 'z', Number.POSITIVE_INFINITY)).to.have.lengthOf(5)
    await store.close()
  })

  it('owns its bytes', async () => {
    const store = await open(newPath())
    const key = bytes('k')
    const value = bytes('v')
    await store.write([{ kind: 'put', key, value }], 'sync')
    key.fill(0)
    value.fill(0)
    const got = await store.get(bytes('k'))
    expect(text(got!)).to.equal('v')
    got!.fill(0)
    expect(await entries(store, 'a', 'z')).to.deep.equal(['k=v'])
    await store.close()
  })

  it('finds everything again after a reopen, and lets in one at a time', async () => {
    const path = newPath()
    const store = await open(path)
    await store.write([put('a', '1')], 'sync')
    await store.write([put('b', '2')], 'lazy')
    expect(await failureOf(open(path))).to.include({ name: 'DiskError', code: 'EBUSY', path })
    await store.close()
    expect(await failureOf(store.get(bytes('a')))).to.include({ name: 'DiskError', code: 'EBADF', path })
    expect(await failureOf(store.write([put('c', '3')], 'sync'))).to.include({ code: 'EBADF' })
    const again = await open(path)
    expect(await entries(again, 'a', 'z')).to.deep.equal(['a=1', 'b=2'])
    await again.close()
  })
}
