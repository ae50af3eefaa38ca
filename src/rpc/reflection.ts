// The standard reflection service, for tools such as grpcurl.

import { ReflectionService } from '@grpc/reflection'

import { packageDefinition } from './protos.ts'

/** Building one takes tens of milliseconds, and it keeps nothing of its servers: those that serve the same share it. */
const byServices = new Map<string, ReflectionService>()

/** Shows `services` (full names) and what they use. */
export function reflectionOf(services: readonly string[]): ReflectionService {
  const key = services.join(' ')
  const service = byServices.get(key) ?? new ReflectionService(packageDefinition(), { services: [...services] })
  byServices.set(key, service)
  return service
}
