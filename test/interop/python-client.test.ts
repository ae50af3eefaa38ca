// A client in another language that knows nothing of us but proto/: stubs made by Python's gRPC compiler, run against a
// cluster of three controllers and three brokers.

import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

import { startCluster } from '../../src/testing/cluster.ts'
import { repoPath } from '../support/paths.ts'
import { scratch } from '../support/scratch.ts'
import { run, skip, tailOf, versionOf } from './foreign.ts'

const CLIENT = 'test/clients/python/client.py'
const REQUIREMENTS = 'test/clients/python/requirements.txt'
const PYTHON_MIN = 9
const INSTALL_MS = 240_000
const CLIENT_MS = 120_000

type Found = { readonly python: string } | { readonly missing: string }

/** The Python of a virtual environment in .cache/python that has what the client requires; or why there is none. */
async function findPython(): Promise<Found> {
  const version = versionOf('python3', '--version')
  const minor = Number(/Python 3\.(\d+)/.exec(version ?? '')?.[1] ?? 0)
  if (minor < PYTHON_MIN) return { missing: `no python3 of 3.${PYTHON_MIN} or newer on the PATH` }
  if (versionOf('python3', '-m', 'pip', '--version') === undefined) return { missing: 'python3 has no pip' }
  // Changed requirements, or another Python, go to a directory of their own; one with a name is complete.
  const stamp = createHash('sha256').update(version!).update(readFileSync(repoPath(REQUIREMENTS)))
    .digest('hex').slice(0, 16)
  const named = repoPath('.cache/python', stamp)
  const python = join(named, 'bin', 'python')
  if (existsSync(python)) return { python }
  const venv = repoPath('.cache/python', `venv-${stamp}`)
  rmSync(venv, { recursive: true, force: true })
  mkdirSync(venv, { recursive: true })
  const made = await run('python3', ['-m', 'venv', venv], { timeoutMs: INSTALL_MS })
  if (made.code !== 0) return { missing: `python3 cannot make a virtual environment\n${tailOf(made)}` }
  const installed = await run(join(venv, 'bin', 'python'),
    ['-m', 'pip', 'install', '--quiet', '--requirement', repoPath(REQUIREMENTS)], { timeoutMs: INSTALL_MS })
  if (installed.code !== 0) return { missing: `pip could not install ${REQUIREMENTS}\n${tailOf(installed)}` }
  // The environment knows its own path and must not move.
  symlinkSync(venv, `${named}.new`)
  renameSync(`${named}.new`, named)
  return { python }
}

describe('interop: a Python client made from proto/', function () {
  this.timeout(600_000)
  const newDir = scratch('python')
  let python = ''

  before(async function () {
    const found = await findPython()
    if ('missing' in found) return skip(this, found.missing)
    python = found.python
  })

  it('creates a topic, writes 10,000 records, reads them back, and follows the hint of a wrong leader', async () => {
    const generated = newDir()
    const protos = readdirSync(repoPath('proto')).filter((name) => name.endsWith('.proto'))
    const stubs = await run(python, ['-m', 'grpc_tools.protoc', `--proto_path=${repoPath('proto')}`,
      `--python_out=${generated}`, `--grpc_python_out=${generated}`, ...protos], { timeoutMs: CLIENT_MS })
    expect(stubs.code, tailOf(stubs)).to.equal(0)
    await using cluster = await startCluster()
    const addresses = cluster.brokers.map(({ address }) => address)
    const ended = await run(python, [repoPath(CLIENT), cluster.bootstrap.join(','), generated],
      { timeoutMs: CLIENT_MS })
    expect(ended.code, tailOf(ended)).to.equal(0)
    const report: unknown = JSON.parse(ended.out)
    expect(report).to.include({ produced: 10_001, fetchedEqual: 10_001, wrongLeader: 'NOT_LEADER_OR_FOLLOWER' })
    expect(report).to.have.property('hintFollowed').that.is.oneOf(addresses)
    console.log(`    ${ended.out.trim()}`)
  })
})
