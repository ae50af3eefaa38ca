// The protocol at run time: one Method for each rpc of proto/*.proto, and the descriptors that reflection serves.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import protobuf from 'protobufjs'
import { loadSync, type MethodDefinition, type PackageDefinition } from '@grpc/proto-loader'

import { assert } from '../base/assert.ts'
import type { Method } from '../ports.ts'
import { codecOf, type Codec } from './codec.ts'
import type { AdminDefinition } from './generated/weir/v1/Admin.ts'
import type { BrokerLinkDefinition } from './generated/weir/v1/BrokerLink.ts'
import type { DataDefinition } from './generated/weir/v1/Data.ts'
import type { RaftDefinition } from './generated/weir/v1/Raft.ts'
import type { ReplicaDefinition } from './generated/weir/v1/Replica.ts'
import type { TransactionsDefinition } from './generated/weir/v1/Transactions.ts'
import type { Message } from './messages.ts'

const PACKAGE = 'weir.v1'
const FILES = ['data.proto', 'admin.proto', 'transactions.proto', 'link.proto', 'replica.proto', 'raft.proto']

/** proto/ lies in the package's root: two rooms above the sources, three above compiled files (dist/src/rpc). */
const DIRECTORY = ['../../proto', '../../../proto']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, FILES[0]!)))
assert(DIRECTORY !== undefined, 'the directory proto/ is missing in the installed package')

const root = new protobuf.Root()
root.resolvePath = (_origin, target) => join(DIRECTORY, target)
root.loadSync(FILES)
root.resolveAll()

const codecs = new Map<protobuf.Type, Codec>()

function codec(type: protobuf.Type | null): Codec {
  assert(type !== null, 'a message type is not resolved')
  const known = codecs.get(type) ?? codecOf(type)
  codecs.set(type, known)
  return known
}

/** Methods by their name in camelCase, with the types that the generated definition names. */
type MethodsOf<Definition> = {
  readonly [Name in keyof Definition as string extends Name ? never : Uncapitalize<Name & string>]:
    Definition[Name] extends MethodDefinition<infer _In, infer _Out, infer Request, infer Response>
      ? Method<Message<Request>, Message<Response>> : never
}

function methodsOf<Definition>(name: string): MethodsOf<Definition> {
  const service = root.lookupService(`${PACKAGE}.${name}`)
  return Object.freeze(Object.fromEntries(service.methodsArray.map((rpc) => (
    [rpc.name[0]!.toLowerCase() + rpc.name.slice(1), methodOf(rpc.resolve() as protobuf.Method)])
  ))) as MethodsOf<Definition>
}

function methodOf(rpc: protobuf.Method): Method<unknown, unknown> {
  const request = codec(rpc.resolvedRequestType)
  const response = codec(rpc.resolvedResponseType)
  const streams = rpc.requestStream === true
  assert(streams === (rpc.responseStream === true), `${rpc.fullName} must stream both ways or not at all`)
  return Object.freeze({
    path: `/${PACKAGE}.${rpc.parent!.name}/${rpc.name}`,
    kind: streams ? 'stream' : 'unary',
    encodeRequest: request.encode,
    decodeRequest: request.decode,
    encodeResponse: response.encode,
    decodeResponse: response.decode
  })
}

export const methods = Object.freeze({
  data: methodsOf<DataDefinition>('Data'),
  admin: methodsOf<AdminDefinition>('Admin'),
  transactions: methodsOf<TransactionsDefinition>('Transactions'),
  brokerLink: methodsOf<BrokerLinkDefinition>('BrokerLink'),
  replica: methodsOf<ReplicaDefinition>('Replica'),
  raft: methodsOf<RaftDefinition>('Raft')
})

let descriptors: PackageDefinition | undefined

/** The same files as the reflection service wants them. Read once, when first asked for. */
export function packageDefinition(): PackageDefinition {
  descriptors ??= loadSync(FILES, { includeDirs: [DIRECTORY!] })
  return descriptors
}
