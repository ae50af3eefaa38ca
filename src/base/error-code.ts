// The one error vocabulary: Kafka's numbers and names, which of them a client may retry, and the two forms of
// expected failures: a `Fault` inside, a thrown `WeirError` where a whole call or a public promise fails.

const TABLE = {
  // name: [Kafka's number, retriable]
  UNKNOWN_SERVER_ERROR: [-1, false],
  NONE: [0, false],
  OFFSET_OUT_OF_RANGE: [1, false],
  CORRUPT_MESSAGE: [2, true],
  UNKNOWN_TOPIC_OR_PARTITION: [3, true],
  LEADER_NOT_AVAILABLE: [5, true],
  NOT_LEADER_OR_FOLLOWER: [6, true],
  REQUEST_TIMED_OUT: [7, true],
  BROKER_NOT_AVAILABLE: [8, false],
  REPLICA_NOT_AVAILABLE: [9, true],
  MESSAGE_TOO_LARGE: [10, false],
  NETWORK_EXCEPTION: [13, true],
  INVALID_TOPIC_EXCEPTION: [17, false],
  RECORD_LIST_TOO_LARGE: [18, false],
  NOT_ENOUGH_REPLICAS: [19, true],
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: [20, true],
  INVALID_REQUIRED_ACKS: [21, false],
  INVALID_TIMESTAMP: [32, false],
  UNSUPPORTED_VERSION: [35, false],
  TOPIC_ALREADY_EXISTS: [36, false],
  INVALID_PARTITIONS: [37, false],
  INVALID_REPLICATION_FACTOR: [38, false],
  INVALID_REPLICA_ASSIGNMENT: [39, false],
  INVALID_CONFIG: [40, false],
  NOT_CONTROLLER: [41, true],
  INVALID_REQUEST: [42, false],
  POLICY_VIOLATION: [44, false],
  OUT_OF_ORDER_SEQUENCE_NUMBER: [45, false],
  DUPLICATE_SEQUENCE_NUMBER: [46, false],
  INVALID_PRODUCER_EPOCH: [47, false],
  INVALID_PRODUCER_ID_MAPPING: [49, false],
  KAFKA_STORAGE_ERROR: [56, true],
  LOG_DIR_NOT_FOUND: [57, false],
  UNKNOWN_PRODUCER_ID: [59, false],
  FENCED_LEADER_EPOCH: [74, true],
  UNKNOWN_LEADER_EPOCH: [75, true],
  UNSUPPORTED_COMPRESSION_TYPE: [76, false],
  STALE_BROKER_EPOCH: [77, false],
  OFFSET_NOT_AVAILABLE: [78, true],
  PREFERRED_LEADER_NOT_AVAILABLE: [80, true],
  ELIGIBLE_LEADERS_NOT_AVAILABLE: [83, true],
  ELECTION_NOT_NEEDED: [84, true],
  NO_REASSIGNMENT_IN_PROGRESS: [85, false],
  INVALID_RECORD: [87, false],
  THROTTLING_QUOTA_EXCEEDED: [89, true],
  INVALID_UPDATE_VERSION: [95, false],
  UNKNOWN_TOPIC_ID: [100, true],
  DUPLICATE_BROKER_REGISTRATION: [101, false],
  BROKER_ID_NOT_REGISTERED: [102, false],
  INCONSISTENT_TOPIC_ID: [103, true],
  INCONSISTENT_CLUSTER_ID: [104, false],
  INELIGIBLE_REPLICA: [107, false],
  NEW_LEADER_ELECTED: [108, false]
} as const satisfies Record<string, readonly [number, boolean]>

export type ErrorName = keyof typeof TABLE

/** Kafka's number by name: `ErrorCode.NOT_LEADER_OR_FOLLOWER === 6`. */
export const ErrorCode = Object.freeze(Object.fromEntries(
  Object.entries(TABLE).map(([name, [code]]) => [name, code]))) as { readonly [Name in ErrorName]: number }

const NAME_BY_CODE = new Map<number, ErrorName>(
  Object.entries(TABLE).map(([name, [code]]) => [code, name as ErrorName]))

/** The name of `code`; UNKNOWN_SERVER_ERROR for a number this release does not know. */
export function errorName(code: number): ErrorName {
  return NAME_BY_CODE.get(code) ?? 'UNKNOWN_SERVER_ERROR'
}

/** True when the same request may succeed later without a change by the caller. */
export function isRetriable(code: number): boolean {
  return TABLE[errorName(code)][1]
}

/** Where the partition leader is, as an error about a wrong leader tells it. */
export interface LeaderHint {
  /** Broker id, -1 when there is none. */
  readonly id: number
  /** host:port of its gRPC listener, empty when unknown. */
  readonly address: string
  readonly leaderEpoch: number
}

/** An expected failure as a value. `message` names value, limit and setting; `hint` says what to do next. */
export interface Fault {
  readonly code: number
  readonly message: string
  readonly hint?: string
  readonly leader?: LeaderHint
}

export interface Refused { readonly ok: false; readonly fault: Fault }
export type Result<T> = { readonly ok: true; readonly value: T } | Refused

export function ok<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function refuse(name: ErrorName, message: string, hint?: string): Refused {
  return { ok: false, fault: fault(name, message, hint) }
}

export function fault(name: ErrorName, message: string, hint?: string): Fault {
  return hint === undefined ? { code: ErrorCode[name], message } : { code: ErrorCode[name], message, hint }
}

/** What public promises reject with, and what a service handler throws to refuse a whole call. */
export class WeirError extends Error {
  override readonly name: ErrorName
  readonly code: number
  readonly retriable: boolean
  readonly hint: string | undefined
  readonly leader: LeaderHint | undefined

  constructor(from: Fault, cause?: unknown) {
    super(from.message, { cause })
    this.name = errorName(from.code)
    this.code = from.code
    this.retriable = isRetriable(from.code)
    this.hint = from.hint
    this.leader = from.leader
  }

  fault(): Fault {
    return {
      code: this.code, message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.leader === undefined ? {} : { leader: this.leader })
    }
  }
}

export function weirError(name: ErrorName, message: string, hint?: string): WeirError {
  return new WeirError(fault(name, message, hint))
}
