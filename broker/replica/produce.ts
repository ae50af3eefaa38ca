// The append use case, behind every listener: validate, append, wait for what `acks` promises, answer.
//
// acks 0 and 1 are answered once the leader has appended; acks -1 once the high watermark has passed the batch, which
// with flush.mode=sync means that every in-sync replica has it on its disk.

import { fault, type Fault } from '../../src/base/error-code.ts'
import type { Clock, Metrics, Timer, Timers } from '../../src/ports.ts'
import { validateProduceBatch } from '../../src/records/validate.ts'
import { findLeader, leadershipFault, type LookupNeeds } from './lookup.ts'
import type { Partition } from './partition.ts'

export interface ProduceNeeds extends LookupNeeds {
  readonly clock: Clock
  readonly timers: Timers
  readonly metrics: Metrics
}

export interface ProducePartition {
  readonly topic: string
  readonly partition: number
  /** -1 = unchecked. */
  readonly leaderEpoch: number
  /** One RecordBatch v2; patched in place, not kept after the call. A Fault: the listener could not build it. */
  readonly batch: Uint8Array | Fault
}

export interface ProduceRequest {
  readonly acks: number
  /** For acks -1: how long to wait for the replicas. */
  readonly timeoutMs: number
  readonly partitions: readonly ProducePartition[]
}

export interface ProduceOutcome {
  fault: Fault | undefined
  /** -1 with a fault. */
  baseOffset: number
  /** -1 unless message.timestamp.type=LogAppendTime. */
  logAppendTimeMs: number
  logStartOffset: number
}

/**
 * Appends in the turn of the call; calls `done` once, in this turn or later, with one outcome for each partition, in
 * order. A fault after the append (timeout, leadership lost) leaves the outcome unknown: the batch may still commit.
 */
export function produce(
  needs: ProduceNeeds, request: ProduceRequest, done: (outcomes: ProduceOutcome[]) => void): void {
  if (request.acks !== 0 && request.acks !== 1 && request.acks !== -1) {
    const refused = fault('INVALID_REQUIRED_ACKS', `acks=${request.acks}: expected 0, 1 or -1 (all)`)
    done(request.partitions.map(() => refusedOutcome(refused)))
    return
  }
  const waiting = new Waiting(needs, request, done)
  for (const [index, wanted] of request.partitions.entries()) append(needs, request, wanted, waiting, index)
  waiting.started()
}

function append(
  needs: ProduceNeeds, request: ProduceRequest, wanted: ProducePartition, waiting: Waiting, index: number): void {
  const { batch } = wanted
  if (!(batch instanceof Uint8Array)) return waiting.settle(index, batch)
  const found = findLeader(needs, wanted)
  if (!found.ok) return waiting.settle(index, found.fault)
  const { partition } = found
  const { config } = partition
  const invalid = validateProduceBatch(batch, {
    maxMessageBytes: config['max.message.bytes'],
    nowMs: needs.clock.wallMs(),
    timestampBeforeMaxMs: config['message.timestamp.before.max.ms'],
    timestampAfterMaxMs: config['message.timestamp.after.max.ms'],
    timestampType: config['message.timestamp.type']
  })
  if (invalid !== undefined) return waiting.settle(index, invalid)
  if (request.acks === -1 && !partition.hasMinIsr) return waiting.settle(index, notEnoughReplicas(partition))
  const result = partition.append(batch)
  if (!result.ok) return waiting.settle(index, result.fault)
  needs.metrics.count('weir_produced_batches_total')
  needs.metrics.count('weir_produced_bytes_total', batch.length)
  waiting.appended(index, partition, wanted, result.value)
}

function notEnoughReplicas(partition: Partition): Fault {
  return fault('NOT_ENOUGH_REPLICAS',
    `${partition.topic}-${partition.index} has ${partition.image.isr.length} in-sync replicas, ` +
    `min.insync.replicas is ${partition.config['min.insync.replicas']}: nothing was written`,
    'retry when replicas are back; `weir partition list --unhealthy` shows them')
}

function refusedOutcome(refused: Fault): ProduceOutcome {
  return { fault: refused, baseOffset: -1, logAppendTimeMs: -1, logStartOffset: -1 }
}

/** One request between its appends and its answer. */
class Waiting {
  readonly #needs: ProduceNeeds
  readonly #request: ProduceRequest
  readonly #done: (outcomes: ProduceOutcome[]) => void
  readonly #outcomes: (ProduceOutcome | undefined)[]
  readonly #cancels: (() => void)[] = []
  #open: number
  readonly #startedMs: number
  #timer: Timer | undefined
  #finished = false

  constructor(needs: ProduceNeeds, request: ProduceRequest, done: (outcomes: ProduceOutcome[]) => void) {
    this.#needs = needs
    this.#request = request
    this.#done = done
    this.#outcomes = new Array<ProduceOutcome | undefined>(request.partitions.length)
    this.#open = request.partitions.length
    this.#startedMs = needs.clock.monotonicMs()
  }

  settle(index: number, refused: Fault): void {
    this.#settle(index, refusedOutcome(refused))
  }

  appended(index: number, partition: Partition, wanted: ProducePartition, result: {
    readonly baseOffset: number; readonly lastOffset: number; readonly logAppendTimeMs: number }): void {
    const outcome: ProduceOutcome = {
      fault: undefined, baseOffset: result.baseOffset, logAppendTimeMs: result.logAppendTimeMs,
      logStartOffset: partition.log.logStartOffset }
    if (this.#request.acks !== -1) return this.#settle(index, outcome)
    const cancel = partition.awaitHighWatermark(result.lastOffset + 1, (code) => {
      if (code !== 0) {
        outcome.fault = leadershipFault(this.#needs.image(), partition.topicId, wanted, code)
        outcome.baseOffset = -1
      }
      this.#settle(index, outcome)
    })
    if (cancel === undefined) {
      outcome.fault = fault('THROTTLING_QUOTA_EXCEEDED',
        'too many requests wait for replicas (max.parked.requests): appended, but not confirmed', 'retry later')
      outcome.baseOffset = -1
      this.#settle(index, outcome)
    } else {
      this.#cancels.push(cancel)
    }
  }

  /** All appends are done; from now on only replicas or the deadline end it. */
  started(): void {
    if (this.#open === 0) this.#finish()
    else this.#timer = this.#needs.timers.after(this.#request.timeoutMs, () => { this.#late() })
  }

  #settle(index: number, outcome: ProduceOutcome): void {
    if (this.#finished || this.#outcomes[index] !== undefined) return
    this.#outcomes[index] = outcome
    this.#open--
    if (this.#open === 0 && this.#timer !== undefined) this.#finish()
  }

  #late(): void {
    const late = fault('REQUEST_TIMED_OUT',
      `the in-sync replicas did not confirm within timeout_ms=${this.#request.timeoutMs}: the records may still commit`,
      'retry with an idempotent producer')
    for (let index = 0; index < this.#outcomes.length; index++) this.#outcomes[index] ??= refusedOutcome(late)
    this.#finish()
  }

  #finish(): void {
    this.#finished = true
    if (this.#timer !== undefined) this.#needs.timers.cancel(this.#timer)
    for (const cancel of this.#cancels) cancel()
    this.#needs.metrics.observe('weir_produce_ms', this.#needs.clock.monotonicMs() - this.#startedMs)
    this.#done(this.#outcomes as ProduceOutcome[])
  }
}
