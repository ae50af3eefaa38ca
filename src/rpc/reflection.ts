// The standard reflection service, for tools such as grpcurl. Its library and the descriptors take a tenth of a second
// to load: they are loaded when somebody asks.

import type { Server, ServerDuplexStream, UntypedServiceImplementation, ServiceDefinition } from '@grpc/grpc-js'

import { noop } from '../base/async.ts'
import { packageDefinition } from './protos.ts'

/** Both versions that tools in the field speak. */
const METHODS = [
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo'
]

type Bytes = ServerDuplexStream<Buffer, Buffer>

/** One version of the service, as the library hands it to a server. */
interface Loaded {
  readonly definition: ServiceDefinition[string]
  readonly answer: (stream: unknown) => void
}

/** Servers that serve the same share it: it keeps nothing of them. */
const byServices = new Map<string, Promise<ReadonlyMap<string, Loaded>>>()

/** Shows `services` (full names) and what they use. */
export function addReflection(server: Pick<Server, 'register'>, services: readonly string[]): void {
  const key = services.join(' ')
  for (const path of METHODS) {
    const take = (stream: Bytes) => {
      // A caller that went away is none to answer.
      stream.on('error', noop)
      const loading = byServices.get(key) ?? load(services)
      byServices.set(key, loading)
      void loading.then((loaded) => { answer(loaded.get(path)!, stream) })
    }
    server.register(path, take, same, same, 'bidi')
  }
}

function same(bytes: Buffer): Buffer { return bytes }

async function load(services: readonly string[]): Promise<ReadonlyMap<string, Loaded>> {
  const { ReflectionService } = await import('@grpc/reflection')
  const loaded = new Map<string, Loaded>()
  // The library adds itself to a server; what it adds is all that is wanted of it.
  const recorder = {
    addService: (definitions: ServiceDefinition, handlers: UntypedServiceImplementation) => {
      for (const [name, definition] of Object.entries(definitions)) {
        loaded.set(definition.path, { definition, answer: handlers[name] as Loaded['answer'] })
      }
    }
  }
  new ReflectionService(packageDefinition(), { services: [...services] }).addToServer(recorder)
  return loaded
}

/** The library's handler on a stream of bytes, which has waited for it. */
function answer({ definition, answer: handle }: Loaded, stream: Bytes): void {
  handle({
    on: (event: string, listener: (value?: unknown) => void) => {
      const decoded = (bytes: Buffer) => { listener(definition.requestDeserialize(bytes)) }
      stream.on(event, event === 'data' ? decoded : listener)
    },
    write: (message: unknown) => { stream.write(definition.responseSerialize(message)) },
    end: () => { stream.end() }
  })
}
