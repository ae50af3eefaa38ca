// The drills there are: what each one does to a running cluster, and how long a cluster may take to serve again.

/** What a script needs to know before it strikes: one partition's leader and a follower, and the active controller. */
export interface Scene {
  /** Broker id that leads the partition drawn for this trial. */
  readonly leader: number
  /** Broker id of a replica of it that does not lead it. */
  readonly follower: number
  /** Id of the active controller. */
  readonly controller: number
  readonly brokers: readonly number[]
  readonly controllers: readonly number[]
}

export interface Strike {
  readonly kind: 'broker' | 'controller'
  readonly id: number
  /** SIGKILL, or SIGSTOP followed by SIGCONT once the cluster serves again. */
  readonly signal: 'SIGKILL' | 'SIGSTOP'
}

export interface DrillScript {
  readonly name: string
  readonly about: string
  /** Longest unavailability with which the verdict stays green, ms: p99 over the trials. */
  readonly limitMs: number
  /** The struck come back before the cluster can serve again; else they stay down until it does without them. */
  readonly restartFirst?: true
  strikes(scene: Scene): readonly Strike[]
}

export const DRILLS: readonly DrillScript[] = [
  {
    name: 'kill-leader', about: 'kill -9 of the broker that leads a partition', limitMs: 800,
    strikes: ({ leader }) => [{ kind: 'broker', id: leader, signal: 'SIGKILL' }]
  },
  {
    name: 'kill-follower', about: 'kill -9 of a broker that follows a partition', limitMs: 800,
    strikes: ({ follower }) => [{ kind: 'broker', id: follower, signal: 'SIGKILL' }]
  },
  {
    name: 'kill-controller', about: 'kill -9 of the active controller: produce goes on, metadata follows', limitMs: 800,
    strikes: ({ controller }) => [{ kind: 'controller', id: controller, signal: 'SIGKILL' }]
  },
  {
    name: 'kill-leader-and-controller', about: 'kill -9 of a partition leader and of the active controller at once',
    limitMs: 1_000,
    strikes: ({ leader, controller }) => [
      { kind: 'controller', id: controller, signal: 'SIGKILL' }, { kind: 'broker', id: leader, signal: 'SIGKILL' }]
  },
  {
    name: 'pause-leader', about: 'SIGSTOP of a partition leader: its sockets stay open and say nothing', limitMs: 1_800,
    strikes: ({ leader }) => [{ kind: 'broker', id: leader, signal: 'SIGSTOP' }]
  },
  {
    name: 'kill-all', about: 'kill -9 of every controller and broker at once, and a start of all of them',
    limitMs: 10_000, restartFirst: true,
    strikes: ({ brokers, controllers }) => [
      ...controllers.map((id): Strike => ({ kind: 'controller', id, signal: 'SIGKILL' })),
      ...brokers.map((id): Strike => ({ kind: 'broker', id, signal: 'SIGKILL' }))]
  }
]
