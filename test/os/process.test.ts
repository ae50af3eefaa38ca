// Tests of signals, crashes and exits, in processes of their own.

import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { readEnv } from '../../src/os/process.ts'

const PROCESS_MODULE = new URL('../../src/os/process.js', import.meta.url).href
const LOGGER_MODULE = new URL('../../src/observe/logger.js', import.meta.url).href

interface Ended { readonly code: number | null; readonly out: string; readonly err: string }

/** Runs `body` as a module that sees the file under test as `os`; sends a signal at each line that says `signal`. */
async function run(body: string): Promise<Ended> {
  const script = `const os = await import(${JSON.stringify(PROCESS_MODULE)})
    const { createLogger } = await import(${JSON.stringify(LOGGER_MODULE)})
    const logger = createLogger({ level: 'info' })
    ${body}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk
    for (const line of chunk.split('\n')) if (line.startsWith('signal ')) child.kill(line.slice(7) as NodeJS.Signals)
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { err += chunk })
  const [code] = await once(child, 'close') as [number | null]
  return { code, out, err }
}

describe('onSignals', () => {
  it('drains at the first signal and exits 0 behind it', async () => {
    const ended = await run(`
      const alive = setInterval(() => {}, 60_000)
      os.onSignals({ drain: async (signal) => { await os.writeOut('drained ' + signal + '\\n') } })
      await os.writeOut('signal SIGTERM\\n')`)
    expect(ended).to.include({ code: 0, out: 'signal SIGTERM\ndrained SIGTERM\n' })
  })

  it('exits 1 at the second signal, whatever the drain does', async () => {
    const ended = await run(`
      const alive = setInterval(() => {}, 60_000)
      os.onSignals({
        drain: async () => { await os.writeOut('signal SIGTERM\\n'); await new Promise(() => {}) },
        now: (signal) => { os.writeError('cut by ' + signal) }
      })
      await os.writeOut('signal SIGINT\\n')`)
    expect(ended).to.include({ code: 1, err: 'cut by SIGTERM' })
  })

  it('leaves a failed drain to the crash policy', async () => {
    const ended = await run(`
      const alive = setInterval(() => {}, 60_000)
      os.installCrashPolicy(logger)
      os.onSignals({ drain: async () => { throw new Error('stuck') } })
      await os.writeOut('signal SIGTERM\\n')`)
    expect(ended.code).to.equal(70)
    expect(JSON.parse(ended.err)).to.include({ reason: 'unhandled rejection', error: 'stuck' })
  })

  it('stops listening when asked to', async () => {
    const ended = await run(`
      const stop = os.onSignals({ drain: async () => {} })
      const before = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')
      stop()
      await os.writeOut(before + ' ' + (process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')))`)
    expect(ended).to.include({ code: 0, out: '2 0' })
  })
})

describe('the crash policy', () => {
  const CRASHES: readonly (readonly [string, string, object])[] = [
    ['an uncaught exception', `setTimeout(() => { throw new TypeError('bug') })`,
      { reason: 'uncaught exception', error: 'bug' }],
    ['an unhandled rejection', `void Promise.reject(new Error('lost', { cause: new Error('root') }))`,
      { reason: 'unhandled rejection', error: 'lost' }],
    ['a thrown value that is no error', `setTimeout(() => { throw 'text' })`,
      { reason: 'uncaught exception', error: 'text' }],
    ['die', `os.dieWith(logger)('raft state not written', new Error('EIO'))`,
      { reason: 'raft state not written', error: 'EIO' }],
    ['die without a cause', `os.dieWith(logger)('broken')`, { reason: 'broken' }]
  ]
  for (const [what, body, line] of CRASHES) {
    it(`logs ${what} and exits 70`, async () => {
      const ended = await run(`os.installCrashPolicy(logger)
        setInterval(() => {}, 60_000)
        ${body}`)
      expect(ended.code).to.equal(70)
      expect(JSON.parse(ended.err)).to.include({ level: 'error', ...line })
    })
  }

  it('exits 70 even when the logger fails', async () => {
    const ended = await run(`os.dieWith({ error: () => { throw new Error('no logger') } })('broken')`)
    expect(ended.code).to.equal(70)
  })
})

describe('the standard streams and the environment', () => {
  it('writes all of a long text before it exits', async () => {
    const ended = await run(`await os.writeOut('x'.repeat(1_000_000)); os.exit(os.EXIT.usage)`)
    expect(ended.code).to.equal(2)
    expect(ended.out.length).to.equal(1_000_000)
  })

  it('ends quietly when nobody reads any more', async () => {
    const ended = await run(`
      const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })
      process.stdout._write = (chunk, encoding, done) => { done(broken) }
      await os.writeOut('x')
      os.exit(os.EXIT.failed)`)
    expect(ended).to.include({ code: 0, err: '' })
  })

  it('sets an exit code for later', async () => {
    expect((await run(`os.setExitCode(os.EXIT.failed)`)).code).to.equal(1)
  })

  it('copies the environment', () => {
    expect(readEnv()['PATH']).to.equal(process.env['PATH'])
  })
})
