// One end of a stream, over a call that the test plays.

import { status } from '@grpc/grpc-js'
import { expect } from 'chai'

import { AssertionError } from '../../src/base/assert.ts'
import type { NetworkError, StreamHandlers } from '../../src/ports.ts'
import { CallStream, type CallEnd } from '../../src/rpc/grpc-stream.ts'

const MEBIBYTE = 1024 * 1024

/** Messages are their bytes as text; `!` alone is malformed. */
function stage(options: { readonly windowBytes?: number; readonly maxMessageBytes?: number } = {}) {
  const log: string[] = []
  const dones: (() => void)[] = []
  const thrown: unknown[] = []
  const end: CallEnd = {
    maxMessageBytes: options.maxMessageBytes ?? 10 * MEBIBYTE,
    windowBytes: options.windowBytes ?? 1,
    write: (bytes, done) => {
      log.push(`write ${bytes.length > 20 ? bytes.length : bytes.toString()}`)
      dones.push(done)
    },
    read: () => { log.push('read') },
    finish: () => { log.push('finish') },
    abort: (code, reason) => { log.push(`abort ${code} ${reason}`) },
    threw: (error) => { thrown.push(error) }
  }
  const stream = new CallStream<string, string>(end, {
    path: '/s/m',
    encode: (message) => Buffer.from(message),
    decode: (bytes) => {
      const text = Buffer.from(bytes).toString()
      if (text === '!') throw new RangeError('no message')
      return text
    }
  })
  const handlers: StreamHandlers<string> = {
    message: (message) => { log.push(`message ${message}`) },
    drain: () => { log.push('drain') },
    end: () => { log.push('end') },
    close: (error) => { log.push(`close ${error?.code ?? 'in order'}`) }
  }
  /** What happened since the last look. */
  const seen = () => log.splice(0)
  return { stream, handlers, seen, done: () => { dones.shift()!() }, thrown }
}

function handled(options?: Parameters<typeof stage>[0]) {
  const staged = stage(options)
  staged.stream.handle(staged.handlers)
  staged.seen()
  return staged
}

describe('stream', () => {
  it('writes one message at a time with a window of one, in order', () => {
    const { stream, seen, done } = handled()
    for (const message of ['a', 'b', 'c']) expect(stream.send(message)).to.equal(true)
    expect(seen()).to.deep.equal(['write a'])
    done()
    expect(seen()).to.deep.equal(['write b'])
    done()
    done()
    expect(seen()).to.deep.equal(['write c'])
  })

  it('writes on while less than its window is in flight', () => {
    const { stream, seen, done } = handled({ windowBytes: 12 })
    for (const message of ['a', 'b', 'c', 'd']) stream.send(message)
    expect(seen()).to.deep.equal(['write a', 'write b'])
    done()
    expect(seen()).to.deep.equal(['write c'])
  })

  it('ends once all is written', () => {
    const { stream, seen, done } = handled()
    stream.send('a')
    stream.send('b')
    stream.end()
    stream.end()
    expect(stream.send('too late')).to.equal(true)
    done()
    expect(seen()).to.deep.equal(['write a', 'write b'])
    expect(stream.finished).to.equal(false)
    done()
    expect(seen()).to.deep.equal(['finish'])
    expect(stream.finished).to.equal(true)
  })

  it('ends at once when nothing was sent', () => {
    const { stream, seen } = handled()
    stream.end()
    expect(seen()).to.deep.equal(['finish'])
  })

  it('answers false above its mark, and tells once when there is room', () => {
    const { stream, seen, done } = handled()
    const half = 'x'.repeat(MEBIBYTE / 2)
    expect([stream.send(half), stream.send(half), stream.send('s'), stream.send('t')])
      .to.deep.equal([true, false, false, false])
    seen()
    done()
    expect(seen()).to.deep.equal([`write ${MEBIBYTE / 2}`])
    done()
    expect(seen()).to.deep.equal(['write s', 'drain'])
    done()
    done()
    expect(seen()).to.deep.equal(['write t'])
    expect(stream.send('again')).to.equal(true)
  })

  it('reads the next message when the last one was handled', () => {
    const { stream, handlers, seen } = stage()
    expect(seen()).to.deep.equal([])
    stream.handle(handlers)
    expect(seen()).to.deep.equal(['read'])
    stream.received(Buffer.from('a'))
    expect(seen()).to.deep.equal(['message a', 'read'])
  })

  it('reads nothing while paused', () => {
    const { stream, seen } = handled()
    stream.pause()
    stream.received(Buffer.from('a'))
    expect(seen()).to.deep.equal(['message a'])
    stream.resume()
    stream.resume()
    expect(seen()).to.deep.equal(['read'])
  })

  it('goes on sending after the peer ended, and reads no more', () => {
    const { stream, seen } = handled()
    stream.peerEnded()
    stream.peerEnded()
    stream.resume()
    stream.send('a')
    expect(seen()).to.deep.equal(['end', 'write a'])
  })

  it('closes once, and is deaf and mute from then on', () => {
    const { stream, seen, done } = handled()
    stream.send('a')
    stream.send('b')
    seen()
    stream.closed(undefined)
    stream.closed(undefined)
    stream.received(Buffer.from('a'))
    stream.peerEnded()
    done()
    stream.end()
    stream.destroy('late')
    stream.resume()
    expect(stream.send('c')).to.equal(true)
    expect(seen()).to.deep.equal(['close in order'])
  })

  it('destroys: the peer learns at once, the handlers in a later turn', async () => {
    const { stream, seen, done } = handled()
    stream.send('a')
    stream.send('b')
    seen()
    stream.destroy('enough')
    stream.destroy('again')
    expect(seen()).to.deep.equal([`abort ${status.ABORTED} enough`])
    await Promise.resolve()
    expect(seen()).to.deep.equal(['close CANCELLED'])
    stream.closed(undefined)
    done()
    expect(seen()).to.deep.equal([])
  })

  it('is destroyed by a message it cannot read', async () => {
    const { stream, seen } = handled()
    stream.received(Buffer.from('!'))
    await Promise.resolve()
    expect(seen()).to.deep.equal([`abort ${status.INVALID_ARGUMENT} no message`, 'close CANCELLED'])
  })

  it('is destroyed by a message too large to send', async () => {
    const { stream, seen } = handled({ maxMessageBytes: 3 })
    stream.send('abc')
    stream.send('abcd')
    await Promise.resolve()
    expect(seen()).to.deep.equal(['write abc', `abort ${status.RESOURCE_EXHAUSTED} a message of 4 bytes is larger ` +
      'than max 3 (maxMessageBytes)', 'close OVERSIZE'])
  })

  it('may be destroyed from within a message', async () => {
    const { stream, handlers, seen } = stage()
    let closedWith: NetworkError | undefined
    stream.handle({
      ...handlers,
      message: () => { stream.destroy('enough') },
      close: (error) => { closedWith = error }
    })
    seen()
    stream.received(Buffer.from('a'))
    expect(seen()).to.deep.equal([`abort ${status.ABORTED} enough`])
    expect(closedWith).to.equal(undefined)
    await Promise.resolve()
    expect(closedWith?.message).to.contain('enough')
  })

  it('hands what a handler throws to its call', () => {
    const { stream, handlers, thrown } = stage()
    const broken = new Error('broken')
    stream.handle({ ...handlers, message: () => { throw broken } })
    stream.received(Buffer.from('a'))
    expect(thrown).to.deep.equal([broken])
  })

  it('takes handlers once', () => {
    const { stream, handlers } = handled()
    expect(() => { stream.handle(handlers) }).to.throw(AssertionError, 'handlers already')
  })
})
