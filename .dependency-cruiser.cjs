// Who may import whom. Anything not listed is refused; test/layering.test.ts proves that every rule bites.

const production = '^(src|controller|broker)/'
const ports = 'src/ports[.]ts$'
/** The table of configuration keys is pure, and typed configurations come from it. */
const keys = 'src/config/keys[.]ts$'
const checksum = 'src/records/crc32c[.]ts$'

/** Files under `from` import, of our own code, nothing but themselves and `to`. */
const only = (from, ...to) => ({
  name: `${from} imports only its floor`,
  severity: 'error',
  from: { path: `^${from}` },
  to: { path: production, pathNot: [from, ...to].map((path) => `^${path}`) }
})

/** `what` (a pattern over module names) is imported by production code in `homes` only. */
const quarantine = (name, what, ...homes) => ({
  name: `${name} stays at home`,
  severity: 'error',
  from: { path: production, pathNot: homes.map((home) => `^${home}`) },
  to: { path: what }
})

// The machine behind node: modules. What is named neither here nor in HARMLESS is refused outside the shell.
const SHELL = ['src/os/', 'src/cli/', 'src/testing/']
const HARMLESS = ['path', 'url', 'util', 'buffer', 'events']
const NODE_HOMES = {
  'fs|fs/promises': ['src/rpc/protos[.]ts$', 'src/config/'],
  'net|tls': ['broker/listener/kafka/server[.]ts$'],
  'http': ['src/console/', 'src/observe/endpoint[.]ts$'],
  'zlib': ['src/records/compression[.]ts$'],
  // Loads what is heavy and seldom needed, at the moment of need.
  'module': ['src/records/compression[.]ts$', 'src/config/config[.]ts$']
}

// Every npm package has one home. A package without a row is refused in production code.
const NPM_HOMES = {
  '@bokuweb/zstd-wasm': ['src/records/compression[.]ts$'],
  'lz4-napi': ['src/records/compression[.]ts$'],
  'snappy': ['src/records/compression[.]ts$'],
  '@node-rs/crc32': ['src/records/crc32c[.]ts$'],
  '@grpc/[^/]+': ['src/rpc/'],
  'grpc-health-check': ['src/rpc/'],
  'protobufjs': ['src/rpc/'],
  'level|classic-level|abstract-level|memory-level': ['src/os/'],
  'pino': ['src/observe/'],
  'prom-client': ['src/observe/'],
  'yaml': ['src/config/'],
  'commander': ['src/cli/'],
  'cli-progress': ['src/cli/']
}
const nodePattern = (names) => `^(node:)?(${names})$`
const npmPattern = (names) => `(^|/)node_modules/(${names})/`

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    // An import that resolves to nothing matches no other rule: it must not slip through.
    { name: 'every-import-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'production-ignores-test', severity: 'error',
      from: { path: production }, to: { path: '^test/' }
    },
    { name: 'main-is-a-leaf', severity: 'error', from: { pathNot: '^test/' }, to: { path: '/main[.]ts$' } },
    {
      name: 'only-roots-start-servers', severity: 'error',
      from: { pathNot: '(/program[.]ts$|^src/testing/|^test/)' },
      to: { path: '^(controller|broker)/server[.]ts$' }
    },

    only('src/base/'),
    only('src/ports[.]ts', 'src/base/'),
    only('src/os/', ports, 'src/base/'),
    only('src/observe/', ports, 'src/base/'),
    only('src/config/', 'src/base/'),
    only('src/records/', 'src/base/'),
    only('src/metadata/', 'src/base/'),
    only('src/kafka/', 'src/base/'),
    only('src/rpc/', ports, 'src/base/'),
    only('src/client/', ports, 'src/(base|records|rpc|os)/'),
    only('src/console/', ports, 'src/(base|client|observe|os)/'),
    only('src/cli/', 'src/', '(controller|broker)/program[.]ts$'),
    only('src/node/', ports, 'src/(base|config|observe|os|rpc)/'),
    only('src/drill/', ports, 'src/(base|client)/'),
    only('src/bench/', ports, 'src/(base|client|drill|records|rpc)/'),
    only('src/testing/', 'src/', '(controller|broker)/server[.]ts$'),

    only('controller/raft/', 'src/base/'),
    only('controller/store/', 'controller/raft/types[.]ts$', ports, checksum, 'src/base/'),
    only('controller/state/', keys, 'src/(base|metadata)/'),
    only('controller/service/', 'controller/[^/]+[.]ts$', 'controller/state/commands[.]ts$', ports, keys,
      'src/(base|metadata|rpc)/'),
    only('controller/', ports, checksum, 'src/(base|metadata|rpc|config|observe|os|node)/'),

    only('broker/log/', ports, 'src/(base|records)/'),
    only('broker/cluster/', ports, 'src/(base|metadata|rpc)/'),
    only('broker/replica/', 'broker/(log|cluster)/', ports, keys, 'src/(base|records|metadata|rpc)/'),
    only('broker/coordinator/', ports, 'src/(base|records|metadata)/'),
    only('broker/group/', 'broker/coordinator/', ports, 'src/(base|records|metadata)/'),
    only('broker/txn/', 'broker/(coordinator|cluster)/', ports, 'src/(base|records|metadata|rpc)/'),
    only('broker/listener/grpc/', 'broker/(replica|group|txn|coordinator|cluster)/', ports,
      'src/(base|records|metadata|rpc)/'),
    only('broker/listener/kafka/', 'broker/(replica|group|txn|coordinator|cluster)/', ports,
      'src/(base|records|metadata|kafka|observe)/'),
    only('broker/', ports, 'src/(base|records|metadata|rpc|kafka|config|observe|os|node)/'),
    {
      name: 'only programs run as processes', severity: 'error',
      from: { pathNot: '(/(main|program)[.]ts$|^src/(cli|node)/|^test/)' }, to: { path: '^src/node/' }
    },

    ...Object.entries(NODE_HOMES).map(([names, homes]) =>
      quarantine(`node:${names}`, nodePattern(names), ...SHELL, ...homes)),
    {
      name: 'every other node: module stays in the shell', severity: 'error',
      from: { path: production, pathNot: SHELL.map((home) => `^${home}`) },
      to: {
        dependencyTypes: ['core'],
        pathNot: [...HARMLESS, ...Object.keys(NODE_HOMES)].map(nodePattern)
      }
    },
    ...Object.entries(NPM_HOMES).map(([names, homes]) => quarantine(names, npmPattern(names), ...homes)),
    {
      name: 'every npm package has a home', severity: 'error', from: { path: production },
      to: { path: 'node_modules/', pathNot: Object.keys(NPM_HOMES).map(npmPattern) }
    },
    {
      name: 'pure-rooms-know-no-machine', severity: 'error',
      from: {
        path: '^(src/(base|metadata|kafka)/|controller/(raft|state)/'
          + '|broker/(group/|txn/(state|records)[.]ts|log/retention[.]ts|replica/isr[.]ts))'
      },
      to: { path: ['node_modules/', nodePattern('[a-z_/]+')] }
    }
  ],
  options: { tsPreCompilationDeps: true, doNotFollow: { path: 'node_modules' } }
}
