// Proves that the import rules bite: plants a forbidden import for every rule in a small copy of the house,
// expects each to be refused, and expects the real tree, truly parsed, to be clean.

import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { makeTempDir, repoPath, repoRoot, sourceFiles } from './support/paths.ts'

interface Violation { readonly from: string; readonly to: string; readonly rule: { readonly name: string } }
interface Module { readonly source: string; readonly dependencies: readonly { readonly resolved: string }[] }
interface Cruise {
  readonly modules: readonly Module[]
  readonly summary: { readonly totalCruised: number; readonly violations: readonly Violation[] }
}
interface Rules {
  readonly forbidden: readonly { readonly name: string; readonly from: { readonly path?: string } }[]
}

const configFile = repoPath('.dependency-cruiser.cjs')
const rules = createRequire(import.meta.url)(configFile) as Rules

// [importing file, what it imports, the rule that must refuse it]
const PLANTED: readonly (readonly [string, string, string])[] = [
  ['src/base/p01.ts', 'src/records/batch.ts', 'src/base/ imports only its floor'],
  ['src/ports.ts', 'src/metadata/image.ts', 'src/ports[.]ts imports only its floor'],
  ['src/os/p02.ts', 'src/records/batch.ts', 'src/os/ imports only its floor'],
  ['src/observe/p03.ts', 'src/os/system.ts', 'src/observe/ imports only its floor'],
  ['src/config/p04.ts', 'src/ports.ts', 'src/config/ imports only its floor'],
  ['src/records/p05.ts', 'src/metadata/image.ts', 'src/records/ imports only its floor'],
  ['src/metadata/p06.ts', 'src/records/batch.ts', 'src/metadata/ imports only its floor'],
  ['src/kafka/p07.ts', 'src/records/batch.ts', 'src/kafka/ imports only its floor'],
  ['src/rpc/p08.ts', 'src/metadata/image.ts', 'src/rpc/ imports only its floor'],
  ['src/client/p09.ts', 'src/metadata/image.ts', 'src/client/ imports only its floor'],
  ['src/console/p10.ts', 'src/rpc/protos.ts', 'src/console/ imports only its floor'],
  ['src/cli/p11.ts', 'broker/log/segment.ts', 'src/cli/ imports only its floor'],
  ['src/testing/p12.ts', 'controller/raft/node.ts', 'src/testing/ imports only its floor'],
  ['controller/raft/p13.ts', 'src/ports.ts', 'controller/raft/ imports only its floor'],
  ['controller/store/p14.ts', 'controller/raft/node.ts', 'controller/store/ imports only its floor'],
  ['controller/state/p15.ts', 'src/ports.ts', 'controller/state/ imports only its floor'],
  ['controller/service/p16.ts', 'controller/raft/node.ts', 'controller/service/ imports only its floor'],
  ['controller/p17.ts', 'broker/log/segment.ts', 'controller/ imports only its floor'],
  ['broker/log/p18.ts', 'src/metadata/image.ts', 'broker/log/ imports only its floor'],
  ['broker/cluster/p19.ts', 'broker/log/segment.ts', 'broker/cluster/ imports only its floor'],
  ['broker/replica/p20.ts', 'broker/group/state.ts', 'broker/replica/ imports only its floor'],
  ['broker/coordinator/p21.ts', 'broker/log/segment.ts', 'broker/coordinator/ imports only its floor'],
  ['broker/group/p22.ts', 'broker/replica/produce.ts', 'broker/group/ imports only its floor'],
  ['broker/txn/p23.ts', 'broker/replica/produce.ts', 'broker/txn/ imports only its floor'],
  ['broker/listener/grpc/p24.ts', 'broker/log/segment.ts', 'broker/listener/grpc/ imports only its floor'],
  ['broker/listener/kafka/p25.ts', 'src/rpc/protos.ts', 'broker/listener/kafka/ imports only its floor'],
  ['broker/p26.ts', 'controller/raft/node.ts', 'broker/ imports only its floor'],
  ['src/node/p57.ts', 'src/records/batch.ts', 'src/node/ imports only its floor'],
  ['src/drill/p58.ts', 'src/rpc/protos.ts', 'src/drill/ imports only its floor'],
  ['src/bench/p59.ts', 'src/metadata/image.ts', 'src/bench/ imports only its floor'],
  ['broker/p60.ts', 'src/node/run.ts', 'only programs run as processes'],
  ['broker/log/p61.ts', 'node:module', 'node:module stays at home'],

  ['src/records/circle-back.ts', 'src/records/circle.ts', 'no-circular'],
  ['src/records/p27.ts', 'src/records/missing.ts', 'every-import-resolves'],
  ['broker/replica/p28.ts', 'test/support/builders.ts', 'production-ignores-test'],
  ['src/cli/p29.ts', 'broker/main.ts', 'main-is-a-leaf'],
  ['broker/replica/p30.ts', 'broker/server.ts', 'only-roots-start-servers'],

  ['broker/log/p31.ts', 'node:fs', 'node:fs|fs/promises stays at home'],
  ['broker/log/p32.ts', 'fs/promises', 'node:fs|fs/promises stays at home'],
  ['src/client/p33.ts', 'node:net', 'node:net|tls stays at home'],
  ['src/client/p34.ts', 'node:http', 'node:http stays at home'],
  ['src/records/p35.ts', 'node:zlib', 'node:zlib stays at home'],
  ['controller/p36.ts', 'node:process', 'every other node: module stays in the shell'],
  ['broker/replica/p37.ts', 'node:timers/promises', 'every other node: module stays in the shell'],
  ['broker/replica/p38.ts', 'node:perf_hooks', 'every other node: module stays in the shell'],

  ['controller/store/p39.ts', 'level', 'level|classic-level|abstract-level|memory-level stays at home'],
  ['broker/cluster/p40.ts', '@grpc/grpc-js', '@grpc/[^/]+ stays at home'],
  ['broker/cluster/p41.ts', 'grpc-health-check', 'grpc-health-check stays at home'],
  ['broker/cluster/p42.ts', 'protobufjs', 'protobufjs stays at home'],
  ['broker/log/p43.ts', 'snappy', 'snappy stays at home'],
  ['broker/log/p44.ts', 'lz4-napi', 'lz4-napi stays at home'],
  ['broker/log/p45.ts', '@bokuweb/zstd-wasm', '@bokuweb/zstd-wasm stays at home'],
  ['broker/log/p46.ts', '@node-rs/crc32', '@node-rs/crc32 stays at home'],
  ['broker/p47.ts', 'pino', 'pino stays at home'],
  ['broker/p48.ts', 'prom-client', 'prom-client stays at home'],
  ['broker/p49.ts', 'yaml', 'yaml stays at home'],
  ['broker/p50.ts', 'commander', 'commander stays at home'],
  ['broker/p51.ts', 'cli-progress', 'cli-progress stays at home'],
  ['src/client/p52.ts', 'chai', 'every npm package has a home'],

  ['src/metadata/p53.ts', 'node:path', 'pure-rooms-know-no-machine'],
  ['controller/state/p54.ts', 'pino', 'pure-rooms-know-no-machine'],
  ['broker/replica/isr.ts', 'node:util', 'pure-rooms-know-no-machine']
]

// [importing file, what it imports]: ordinary wiring that no rule may refuse
const ALLOWED: readonly (readonly [string, string])[] = [
  ['src/records/a01.ts', 'src/base/assert.ts'],
  ['src/os/a02.ts', 'level'],
  ['src/os/a03.ts', 'node:fs'],
  ['src/rpc/a04.ts', '@grpc/grpc-js'],
  ['src/cli/a05.ts', 'broker/program.ts'],
  ['src/cli/a06.ts', 'node:child_process'],
  ['src/testing/a07.ts', 'controller/server.ts'],
  ['src/testing/a08.ts', 'src/os/system.ts'],
  ['controller/service/a09.ts', 'controller/active-controller.ts'],
  ['controller/a10.ts', 'controller/raft/node.ts'],
  ['broker/replica/a11.ts', 'broker/log/segment.ts'],
  ['broker/log/a12.ts', 'node:path'],
  ['broker/listener/kafka/server.ts', 'node:net'],
  ['broker/program.ts', 'broker/server.ts'],
  ['test/a13.test.ts', 'broker/log/segment.ts'],
  ['test/a14.test.ts', 'chai']
]

function cruise(cwd: string): Cruise {
  const binary = repoPath('node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const run = spawnSync(process.execPath,
    [binary, '--config', configFile, '--output-type', 'json', 'src', 'controller', 'broker', 'test'],
    { cwd, encoding: 'utf8', maxBuffer: 64 << 20 })
  expect(run.stdout, run.stderr).to.match(/^\{/)
  return JSON.parse(run.stdout) as Cruise
}

const isOurs = (target: string) => /^(src|controller|broker|test)\//.test(target)

/** A tree with one file per planted import. Targets exist unless missing on purpose; packages are stubs. */
function plant(root: string, imports: readonly (readonly [string, string])[]): void {
  const put = (path: string, text: string) => {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text, { flag: 'a' })
  }
  for (const room of ['src', 'controller', 'broker', 'test']) mkdirSync(join(root, room), { recursive: true })
  cpSync(repoPath('package.json'), join(root, 'package.json'))
  const stubPackage = join(root, 'stub.json')
  writeFileSync(stubPackage, '{"main": "index.js"}')
  for (const [file, target] of imports) {
    const up = '../'.repeat(file.split('/').length - 1) || './'
    put(file, `import type { x } from '${isOurs(target) ? up + target : target}'\nexport type Y = typeof x\n`)
    if (isOurs(target) && !target.endsWith('/missing.ts')) put(target, '')
    if (!isOurs(target) && !target.startsWith('node:')) {
      put(`node_modules/${target}/index.js`, '')
      cpSync(stubPackage, join(root, 'node_modules', target, 'package.json'))
    }
  }
}

describe('layering', function () {
  this.timeout(60_000)

  it('knows a planted import for every rule', () => {
    const planted = new Set(PLANTED.map(([, , rule]) => rule))
    expect(rules.forbidden.map((rule) => rule.name).filter((name) => !planted.has(name))).to.deep.equal([])
  })

  it('refuses every planted import', () => {
    const tree = makeTempDir('layering')
    try {
      plant(tree.path, [
        ...PLANTED.map(([file, target]) => [file, target] as const),
        ['src/records/circle.ts', 'src/records/circle-back.ts']
      ])
      const { violations } = cruise(tree.path).summary
      const seen = new Set(violations.map((violation) => `${violation.from}: ${violation.rule.name}`))
      expect(PLANTED.map(([file, , rule]) => `${file}: ${rule}`).filter((wanted) => !seen.has(wanted)))
        .to.deep.equal([])
    } finally {
      tree.remove()
    }
  })

  it('lets ordinary wiring pass', () => {
    const tree = makeTempDir('layering')
    try {
      plant(tree.path, ALLOWED)
      const { modules, summary } = cruise(tree.path)
      expect(summary.violations.map(show)).to.deep.equal([])
      for (const [file] of ALLOWED) {
        const found = modules.find((module) => module.source === file)
        expect(found?.dependencies, `${file}: its import was seen`).to.have.length.greaterThan(0)
      }
    } finally {
      tree.remove()
    }
  })

  it('finds the real tree parsed and clean', () => {
    const { modules, summary } = cruise(repoRoot)
    // Without a TypeScript parser the tool reports 0 modules, no violations and success.
    const sources = sourceFiles().filter((file) => !file.startsWith('test/'))
    const cruised = new Set(modules.map((module) => module.source))
    expect(summary.totalCruised).to.be.greaterThan(0)
    expect(sources.filter((source) => !cruised.has(source)), 'files the tool did not read').to.deep.equal([])
    expect(modules.some((module) => module.dependencies.length > 0), 'imports were seen').to.equal(true)
    expect(summary.violations.map(show)).to.deep.equal([])
  })
})

function show(violation: Violation): string {
  return `${violation.from} → ${violation.to}: ${violation.rule.name}`
}
