// A power loss between any two steps of I/O of one call of a Raft store.

import { RaftStore } from '../../controller/store/raft-store.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { memoryStores } from '../../src/testing/memory-kv.ts'
import { optionsIn } from '../store/bench.ts'

const DIR = '/data'

/**
 * The stores that are found again when `act` is interrupted after its 0th, 1st … sync, the last one after its end.
 * `prepare` is durable before. A start that is refused rejects.
 */
export async function powerLossAtEachIo(
  prepare: (store: RaftStore) => Promise<void>, act: (store: RaftStore) => Promise<void>): Promise<RaftStore[]> {
  const found: RaftStore[] = []
  for (let syncs = 0; ; syncs++) {
    let left = Infinity
    let stopped: () => void = () => undefined
    const defer = (end: () => void) => {
      if (left-- > 0) setImmediate(end)
      else stopped()
    }
    const disk = new MemoryDisk({ defer })
    const stores = memoryStores({ defer })
    const open = () => RaftStore.open(optionsIn(DIR, { disk, openKeyValueStore: stores.open }))
    const store = await open()
    await prepare(store)
    left = syncs
    const interrupted = await Promise.race([
      act(store).then(() => false), new Promise<boolean>((resolve) => { stopped = () => { resolve(true) } })])
    disk.losePower()
    stores.losePower(`${DIR}/meta`)
    left = Infinity
    found.push(await open())
    if (!interrupted) return found
  }
}
