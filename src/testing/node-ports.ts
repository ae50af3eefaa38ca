// One node's ports inside a shared process, with two switches: `crash` drops the node as kill -9 would (its timers,
// calls, streams and file handles stop, nothing is flushed or answered), `isolate` cuts it off the network silently.

import { weirError } from '../base/error-code.ts'
import {
  DiskError, NetworkError, type Caller, type Disk, type DiskFile, type Handler, type KeyValueStore, type Listener,
  type MessageStream, type Method, type Network, type Peer, type Ports, type Timer
} from '../ports.ts'

export interface NodeControl {
  readonly ports: Ports
  /** Resolves when ports and file handles are free for the next incarnation. */
  crash(): Promise<void>
  /** From now on nothing goes in or out; what is open looks alive and stays silent. */
  isolate(): void
  /** Connections that were open across the cut are reset; new ones work. */
  heal(): void
}

/** Shared by the wrappers of one incarnation. */
class Fate {
  dead = false
  isolated = false
  readonly onCrash = new Set<() => Promise<void> | void>()
  readonly onHeal = new Set<() => void>()

  /** Settles as `promise` while the node lives; never after its death. */
  guard<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => { if (!this.dead) resolve(value) },
        (error: unknown) => { if (!this.dead) reject(error) })
    })
  }
}

export function nodePorts(base: Ports, onDeath: (reason: string, cause?: unknown) => void): NodeControl {
  const fate = new Fate()
  const timers = new Set<Timer>()
  const ports: Ports = {
    ...base,
    timers: {
      after: (delayMs, fire) => {
        if (fate.dead) return { id: undefined }
        const timer = base.timers.after(delayMs, () => {
          timers.delete(timer)
          if (!fate.dead) fire()
        })
        timers.add(timer)
        return timer
      },
      cancel: (timer) => {
        if (timers.delete(timer)) base.timers.cancel(timer)
      },
      soon: (run) => { base.timers.soon(() => { if (!fate.dead) run() }) }
    },
    disk: fatedDisk(base.disk, fate),
    openKeyValueStore: async (path) => fatedStore(await fate.guard(base.openKeyValueStore(path)), fate),
    network: fatedNetwork(base.network, fate),
    die: (reason, cause) => {
      if (!fate.dead) onDeath(reason, cause)
    }
  }
  return {
    ports,
    crash: async () => {
      fate.dead = true
      for (const timer of timers) base.timers.cancel(timer)
      timers.clear()
      await Promise.all([...fate.onCrash].map(async (release) => { await release() }))
      fate.onCrash.clear()
    },
    isolate: () => { fate.isolated = true },
    heal: () => {
      fate.isolated = false
      for (const reset of [...fate.onHeal]) reset()
    }
  }
}

// ---- disk -------------------------------------------------------------------------------------------------

function fatedDisk(disk: Disk, fate: Fate): Disk {
  const guard = <T>(promise: Promise<T>) => fate.guard(promise)
  return {
    open: async (path, options) => fatedFile(await guard(disk.open(path, options)), path, fate),
    createNow: (path) => {
      if (fate.dead) throw killed(path)
      return fatedFile(disk.createNow(path), path, fate)
    },
    list: (dir) => guard(disk.list(dir)),
    exists: (path) => guard(disk.exists(path)),
    makeDir: (dir) => guard(disk.makeDir(dir)),
    rename: (from, to) => guard(disk.rename(from, to)),
    remove: (path) => guard(disk.remove(path)),
    syncDir: (dir) => guard(disk.syncDir(dir)),
    lock: async (path) => {
      const lock = await guard(disk.lock(path))
      const release = () => lock.release()
      fate.onCrash.add(release)
      return {
        release: () => {
          fate.onCrash.delete(release)
          return guard(lock.release())
        }
      }
    }
  }
}

function killed(path: string): DiskError {
  return new DiskError('EBADF', path, `${path}: the node was killed`)
}

function fatedFile(file: DiskFile, path: string, fate: Fate): DiskFile {
  const close = () => file.close()
  fate.onCrash.add(close)
  const alive = () => {
    if (fate.dead) throw killed(path)
  }
  return {
    size: () => file.size(),
    read: (into, position) => fate.guard(file.read(into, position)),
    readNow: (into, position) => {
      alive()
      return file.readNow(into, position)
    },
    writeNow: (parts, position) => {
      alive()
      file.writeNow(parts, position)
    },
    sync: () => fate.guard(file.sync()),
    truncate: (size) => fate.guard(file.truncate(size)),
    close: () => {
      fate.onCrash.delete(close)
      return fate.guard(file.close())
    }
  }
}

function fatedStore(store: KeyValueStore, fate: Fate): KeyValueStore {
  const close = () => store.close()
  fate.onCrash.add(close)
  return {
    get: (key) => fate.guard(store.get(key)),
    write: (batch, durability) => fate.guard(store.write(batch, durability)),
    range: (from, to, limit) => fate.guard(store.range(from, to, limit)),
    close: () => {
      fate.onCrash.delete(close)
      return fate.guard(store.close())
    }
  }
}

// ---- network ----------------------------------------------------------------------------------------------

function fatedNetwork(network: Network, fate: Fate): Network {
  return {
    listen: async (address, handlers) => {
      const listener = await fate.guard(network.listen(address, handlers.map((handler) => fatedHandler(handler, fate))))
      const close = () => listener.close(0)
      fate.onCrash.add(close)
      const wrapped: Listener = {
        address: listener.address,
        setServing: (serving) => { listener.setServing(serving) },
        close: (graceMs) => {
          fate.onCrash.delete(close)
          return fate.guard(listener.close(graceMs))
        }
      }
      return wrapped
    },
    dial: (address) => fatedPeer(network.dial(address), fate)
  }
}

function fatedPeer(peer: Peer, fate: Fate): Peer {
  const close = () => { peer.close() }
  fate.onCrash.add(close)
  return {
    address: peer.address,
    call: async <Req, Res>(method: Method<Req, Res>, request: Req, timeoutMs: number) => {
      if (fate.isolated) return late<Res>(fate, timeoutMs)
      const response = await fate.guard(peer.call(method, request, timeoutMs))
      return fate.isolated ? late<Res>(fate, timeoutMs) : response
    },
    open: (method) => fatedStream(peer.open(method), fate),
    close: () => {
      fate.onCrash.delete(close)
      peer.close()
    }
  }
}

/** A call into the cut: no answer, then its deadline (or the reset at the end of the cut). */
function late<T>(fate: Fate, timeoutMs: number): Promise<T> {
  return new Promise((_resolve, reject) => {
    const end = (code: 'TIMEOUT' | 'UNAVAILABLE') => {
      clearTimeout(timer)
      fate.onHeal.delete(reset)
      fate.onCrash.delete(stop)
      if (!fate.dead) reject(new NetworkError(code, `isolated: ${code}`))
    }
    const timer = setTimeout(() => { end('TIMEOUT') }, timeoutMs)
    const reset = () => { end('UNAVAILABLE') }
    const stop = () => { clearTimeout(timer) }
    fate.onHeal.add(reset)
    fate.onCrash.add(stop)
  })
}

function fatedHandler(handler: Handler, fate: Fate): Handler {
  if (handler.kind === 'stream') {
    const run: typeof handler.run = (incoming, caller) => {
      if (!fate.dead) handler.run(fatedStream(incoming, fate), caller)
    }
    return { ...handler, run }
  }
  const run: typeof handler.run = async (request, caller) => {
    if (fate.isolated) return unheard(fate, caller)
    const response = await fate.guard(handler.run(request, caller))
    return fate.isolated ? unheard(fate, caller) : response
  }
  return { ...handler, run }
}

/** The answer that the cut swallows: the caller sees its deadline, or a reset when the cut ends. */
async function unheard(fate: Fate, caller: Caller): Promise<never> {
  try {
    return await late<never>(fate, caller.timeoutMs)
  } catch (error) {
    throw weirError('NETWORK_EXCEPTION', String(error), 'retry')
  }
}

function fatedStream<Out, In>(inner: MessageStream<Out, In>, fate: Fate): MessageStream<Out, In> {
  // Once a message was swallowed the stream must not go on after the cut: it is reset instead.
  const reset = () => { inner.destroy('the network was cut') }
  const cut = () => {
    if (!fate.isolated) return false
    fate.onHeal.add(reset)
    return true
  }
  return {
    send: (message) => fate.dead || cut() || inner.send(message),
    end: () => {
      if (!fate.dead && !cut()) inner.end()
    },
    destroy: (reason) => { inner.destroy(reason) },
    pause: () => { inner.pause() },
    resume: () => { inner.resume() },
    handle: (handlers) => {
      const live = () => !fate.dead && !cut()
      inner.handle({
        message: (message) => { if (live()) handlers.message(message) },
        drain: () => { if (live()) handlers.drain?.() },
        end: () => { if (live()) handlers.end?.() },
        close: (error) => {
          fate.onHeal.delete(reset)
          if (!fate.dead) handlers.close(error)
        }
      })
    }
  }
}
