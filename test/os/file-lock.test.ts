// Tests of locks: against this process, against another, and after the death of a holder.

import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

import { takeLock, type LockScheme } from '../../src/os/file-lock.ts'
import { nodeDisk } from '../../src/os/node-disk.ts'
import { DiskError } from '../../src/ports.ts'
import { failureOf } from '../support/failures.ts'
import { scratch } from '../support/scratch.ts'

const LOCK_MODULE = new URL('../../src/os/file-lock.js', import.meta.url).href

/** Another process that holds `path` until it is killed. */
async function holderOf(path: string, scheme: LockScheme): Promise<ChildProcess> {
  const script = `const { takeLock } = await import(${JSON.stringify(LOCK_MODULE)})
    await takeLock(${JSON.stringify(path)}, ${JSON.stringify(scheme)})
    console.log('held')
    setInterval(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => { throw new Error('the other process did not get the lock') })
  ])
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const hasFlock = (process.env['PATH'] ?? '').split(':').some((dir) => existsSync(`${dir}/flock`))

for (const scheme of ['kernel', 'file'] as const) {
  describe(`takeLock, ${scheme} scheme`, () => {
    const newDir = scratch('lock')
    before(function () {
      if (scheme === 'kernel' && !hasFlock) this.skip()
    })

    it('excludes a second taker in this process until released', async () => {
      const path = `${newDir()}/lock`
      const lock = await takeLock(path, scheme)
      const refused = await failureOf(takeLock(`${path}/../lock`, scheme))
      expect(refused).to.be.instanceOf(DiskError)
      expect(refused).to.include({ code: 'EBUSY' })
      await lock.release()
      const next = await takeLock(path, scheme)
      // The first holder is history: releasing again must not free the second one's lock.
      await lock.release()
      expect(await failureOf(takeLock(path, scheme))).to.include({ code: 'EBUSY', path })
      await next.release()
    })

    it('gives it to one of many who ask at once', async () => {
      const path = `${newDir()}/lock`
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => takeLock(path, scheme)))
      const got = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      expect(got.length).to.equal(1)
      await got[0]!.value.release()
    })

    it('excludes another process, names it, and is free when it is killed', async () => {
      const path = `${newDir()}/lock`
      const other = await holderOf(path, scheme)
      try {
        const refused = await failureOf(takeLock(path, scheme)) as DiskError
        expect(refused).to.include({ code: 'EBUSY', path })
        expect(refused.message).to.include(`process ${other.pid}`)
      } finally {
        await kill(other)
      }
      await (await takeLock(path, scheme)).release()
    })

    it('wants the directory to be there', async () => {
      expect(await failureOf(takeLock(`${newDir()}/missing/lock`, scheme))).to.include({ code: 'ENOENT' })
    })

    it('leaves nothing but the lock behind', async () => {
      const dir = newDir()
      const lock = await takeLock(`${dir}/lock`, scheme)
      expect(readdirSync(dir)).to.deep.equal(['lock'])
      await lock.release()
      expect(readdirSync(dir)).to.deep.equal(scheme === 'kernel' ? ['lock'] : [])
    })
  })
}

describe('takeLock, file scheme', () => {
  const newDir = scratch('lock')
  it('takes over from a process id that another process has now', async function () {
    if (!existsSync('/proc/self/stat')) this.skip()
    const path = `${newDir()}/lock`
    const other = await holderOf(`${path}-of-another`, 'file')
    try {
      writeFileSync(path, `${other.pid} another-boot/1\n`)
      await (await takeLock(path, 'file')).release()
      writeFileSync(path, readFileSync(`${path}-of-another`))
      expect(await failureOf(takeLock(path, 'file'))).to.include({ code: 'EBUSY' })
    } finally {
      await kill(other)
    }
  })

  for (const left of ['', 'garbage', `${process.pid} another-boot/1\n`]) {
    it(`takes over a file with ${JSON.stringify(left.replace(String(process.pid), 'our own id'))}`, async () => {
      const path = `${newDir()}/lock`
      writeFileSync(path, left)
      const lock = await takeLock(path, 'file')
      expect(readFileSync(path, 'utf8')).to.match(new RegExp(`^${process.pid} `))
      await lock.release()
    })
  }
})

describe('nodeDisk().lock', () => {
  const newDir = scratch('lock')
  it('is such a lock', async () => {
    const path = `${newDir()}/lock`
    const lock = await nodeDisk().lock(path)
    expect(await failureOf(nodeDisk().lock(path))).to.include({ code: 'EBUSY', path })
    await lock.release()
    await (await nodeDisk().lock(path)).release()
  })
})
