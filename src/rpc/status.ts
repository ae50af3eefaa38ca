// Failures on the wire: a refused call is a gRPC status, with the whole Fault in the trailer `weir-error`; whatever
// else ends a call (no connection, deadline, size) becomes a NetworkError.

import { Metadata, status, type StatusObject } from '@grpc/grpc-js'

import { errorName, weirError, WeirError, type ErrorName, type Fault, type LeaderHint } from '../base/error-code.ts'
import { NetworkError } from '../ports.ts'

/** JSON of a Fault, in printable ASCII. */
const TRAILER = 'weir-error'
/** Peers limit their headers: a message that quotes a long value is cut. UTF-16 units. */
const TEXT_MAX = 1000

/** For clients that know gRPC only. A name without a row is INTERNAL. */
const STATUS_BY_NAME: { readonly [Name in ErrorName]?: status } = {
  OFFSET_OUT_OF_RANGE: status.OUT_OF_RANGE,
  CORRUPT_MESSAGE: status.INVALID_ARGUMENT,
  UNKNOWN_TOPIC_OR_PARTITION: status.NOT_FOUND,
  LEADER_NOT_AVAILABLE: status.UNAVAILABLE,
  NOT_LEADER_OR_FOLLOWER: status.FAILED_PRECONDITION,
  REQUEST_TIMED_OUT: status.DEADLINE_EXCEEDED,
  BROKER_NOT_AVAILABLE: status.UNAVAILABLE,
  REPLICA_NOT_AVAILABLE: status.UNAVAILABLE,
  MESSAGE_TOO_LARGE: status.INVALID_ARGUMENT,
  NETWORK_EXCEPTION: status.UNAVAILABLE,
  INVALID_TOPIC_EXCEPTION: status.INVALID_ARGUMENT,
  RECORD_LIST_TOO_LARGE: status.INVALID_ARGUMENT,
  NOT_ENOUGH_REPLICAS: status.UNAVAILABLE,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: status.UNAVAILABLE,
  INVALID_REQUIRED_ACKS: status.INVALID_ARGUMENT,
  INVALID_TIMESTAMP: status.INVALID_ARGUMENT,
  UNSUPPORTED_VERSION: status.UNIMPLEMENTED,
  TOPIC_ALREADY_EXISTS: status.ALREADY_EXISTS,
  INVALID_PARTITIONS: status.INVALID_ARGUMENT,
  INVALID_REPLICATION_FACTOR: status.INVALID_ARGUMENT,
  INVALID_REPLICA_ASSIGNMENT: status.INVALID_ARGUMENT,
  INVALID_CONFIG: status.INVALID_ARGUMENT,
  NOT_CONTROLLER: status.FAILED_PRECONDITION,
  INVALID_REQUEST: status.INVALID_ARGUMENT,
  POLICY_VIOLATION: status.FAILED_PRECONDITION,
  OUT_OF_ORDER_SEQUENCE_NUMBER: status.FAILED_PRECONDITION,
  DUPLICATE_SEQUENCE_NUMBER: status.ALREADY_EXISTS,
  INVALID_PRODUCER_EPOCH: status.FAILED_PRECONDITION,
  INVALID_PRODUCER_ID_MAPPING: status.FAILED_PRECONDITION,
  UNKNOWN_PRODUCER_ID: status.FAILED_PRECONDITION,
  FENCED_LEADER_EPOCH: status.FAILED_PRECONDITION,
  UNKNOWN_LEADER_EPOCH: status.UNAVAILABLE,
  UNSUPPORTED_COMPRESSION_TYPE: status.INVALID_ARGUMENT,
  STALE_BROKER_EPOCH: status.FAILED_PRECONDITION,
  OFFSET_NOT_AVAILABLE: status.UNAVAILABLE,
  PREFERRED_LEADER_NOT_AVAILABLE: status.UNAVAILABLE,
  ELIGIBLE_LEADERS_NOT_AVAILABLE: status.UNAVAILABLE,
  ELECTION_NOT_NEEDED: status.FAILED_PRECONDITION,
  NO_REASSIGNMENT_IN_PROGRESS: status.FAILED_PRECONDITION,
  INVALID_RECORD: status.INVALID_ARGUMENT,
  THROTTLING_QUOTA_EXCEEDED: status.UNAVAILABLE,
  INVALID_UPDATE_VERSION: status.ABORTED,
  UNKNOWN_TOPIC_ID: status.NOT_FOUND,
  DUPLICATE_BROKER_REGISTRATION: status.ALREADY_EXISTS,
  BROKER_ID_NOT_REGISTERED: status.NOT_FOUND,
  INCONSISTENT_TOPIC_ID: status.FAILED_PRECONDITION,
  INCONSISTENT_CLUSTER_ID: status.FAILED_PRECONDITION,
  INELIGIBLE_REPLICA: status.FAILED_PRECONDITION,
  NEW_LEADER_ELECTED: status.ABORTED
}

/** CANCELLED is not among them: what we cancel we know of, and from elsewhere it means a connection cut in two. */
const NETWORK_CODE: { readonly [Code in status]?: NetworkError['code'] } = {
  [status.DEADLINE_EXCEEDED]: 'TIMEOUT',
  [status.ABORTED]: 'CANCELLED',
  [status.RESOURCE_EXHAUSTED]: 'OVERSIZE'
}

/** What a server ends a call with that it refuses. */
export function statusOfFault(fault: Fault): StatusObject {
  const { hint, leader } = fault
  const sent: Fault = {
    code: fault.code, message: cut(fault.message),
    ...(hint === undefined ? {} : { hint: cut(hint) }), ...(leader === undefined ? {} : { leader })
  }
  const metadata = new Metadata()
  metadata.set(TRAILER, ascii(JSON.stringify(sent)))
  return { code: STATUS_BY_NAME[errorName(fault.code)] ?? status.INTERNAL, details: sent.message, metadata }
}

/** What a client makes of the status, never OK, that ended its call of `path`. */
export function errorOfStatus(from: StatusObject, path: string): WeirError | NetworkError {
  const [trailer] = from.metadata.get(TRAILER)
  const fault = typeof trailer === 'string' ? parseFault(trailer) : undefined
  if (fault !== undefined) return new WeirError(fault)
  const text = `${path}: ${from.details}`
  if (from.code === status.INVALID_ARGUMENT) return weirError('INVALID_REQUEST', text)
  if (from.code === status.UNIMPLEMENTED) {
    return weirError('UNSUPPORTED_VERSION', text, 'the server is older, or of another kind, than this client expects')
  }
  const code = NETWORK_CODE[from.code] ?? 'UNAVAILABLE'
  return new NetworkError(code,
    code === 'OVERSIZE' ? `${text}: send less at a time, or raise max.request.bytes of the server` : text)
}

/** The same for a stream, which ends with a NetworkError always; a server's refusal is its cause. */
export function streamErrorOfStatus(from: StatusObject, path: string): NetworkError {
  const error = errorOfStatus(from, path)
  if (error instanceof NetworkError) return error
  return new NetworkError('UNAVAILABLE', `${path} was refused: ${error.name}: ${error.message}`, error)
}

function cut(text: string): string {
  const shorter = text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}…`
  // A lone half of a surrogate pair cannot be written as UTF-8: this puts U+FFFD in its place.
  return Buffer.from(shorter).toString()
}

/** JSON escapes control characters below a space; the rest that no header may carry is escaped here. */
function ascii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Undefined for what no Weir server wrote. */
function parseFault(json: string): Fault | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const { code, message, hint, leader } = parsed as Record<string, unknown>
  if (typeof code !== 'number' || typeof message !== 'string') return undefined
  return {
    code, message,
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(isLeader(leader) ? { leader } : {})
  }
}

function isLeader(value: unknown): value is LeaderHint {
  if (typeof value !== 'object' || value === null) return false
  const { id, address, leaderEpoch } = value as Record<string, unknown>
  return typeof id === 'number' && typeof address === 'string' && typeof leaderEpoch === 'number'
}
