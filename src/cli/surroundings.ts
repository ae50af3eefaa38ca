// The real process around the command line: its streams, its terminal, its signals, and the SDK, which is loaded by
// the verbs that connect only.

import { createInterface } from 'node:readline/promises'
import { isatty } from 'node:tty'

import { writeError, writeOut } from '../os/process.ts'
import type { Surroundings } from './shell.ts'

const INTERRUPTED = 130

export function surroundings(): Surroundings {
  const bars = isatty(2)
  return {
    out: writeOut,
    note: writeError,
    canAsk: isatty(0) && bars,
    bars,
    ask,
    // Not touched before somebody reads: a pipe that nobody reads from must not keep the process alive.
    input: { [Symbol.asyncIterator]: () => (process.stdin as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]() },
    connect: async (options) => {
      const { connect } = await import('../client/index.ts')
      return connect(options)
    },
    onInterrupt,
    nowMs: () => performance.now(),
    sleep: (ms) => new Promise((resolve) => { setTimeout(resolve, ms) })
  }
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}

function onInterrupt(stop: (signal: string) => void): () => void {
  let stopping = false
  const received = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(INTERRUPTED)
    stopping = true
    stop(signal)
  }
  process.on('SIGINT', received)
  process.on('SIGTERM', received)
  return () => {
    process.off('SIGINT', received)
    process.off('SIGTERM', received)
  }
}
