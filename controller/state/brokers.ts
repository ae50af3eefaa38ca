// Brokers come, go, are fenced and drained. Every step that takes a broker out is one atomic group: the broker's state
// and all its leaderships and ISR memberships change together (invariant M8).

import { fault } from '../../src/base/error-code.ts'
import type { BrokerImage, MetadataImage } from '../../src/metadata/image.ts'
import type { MetadataRecord } from '../../src/metadata/records.ts'
import { checkBrokerEpoch } from './broker-epoch.ts'
import { leaveAll, moveAway, takeLeaderless, type DrainReply } from './leadership.ts'
import { Refusal, type Outcome } from './outcome.ts'

const ID_LENGTH_MAX = 64
const ADDRESS_LENGTH_MAX = 255

export interface RegisterBroker {
  readonly kind: 'registerBroker'
  readonly clusterId: string
  readonly brokerId: number
  readonly incarnationId: string
  readonly address: string
  readonly httpAddress: string
  readonly rack: string
  readonly directoryId: string
}

export interface RegisterReply { readonly brokerEpoch: number }

/**
 * A process of a broker announces itself. The same incarnation keeps its epoch. A new one gets a new epoch at once,
 * after the old one is fenced in the same group: the new one may have lost whatever the old one led or was in sync
 * for.
 */
export function registerBroker(image: MetadataImage, command: RegisterBroker): Outcome<RegisterReply> | Refusal {
  const refused = checkRegistration(image, command)
  if (refused !== undefined) return refused
  const { brokerId, incarnationId, address, httpAddress, rack, directoryId } = command
  const before = image.brokers.get(brokerId)
  if (before?.incarnationId === incarnationId) return { reply: { brokerEpoch: before.epoch }, records: [] }
  const diskLost = before !== undefined && before.directoryId !== directoryId
  if (diskLost && !before.fenced) {
    return new Refusal(fault('DUPLICATE_BROKER_REGISTRATION',
      `broker ${brokerId} is active with another data directory (${before.directoryId}, not ${directoryId})`,
      `give one of the two another node.id, or wait until broker ${brokerId} is fenced`))
  }
  const brokerEpoch = image.offset + 1
  return {
    reply: { brokerEpoch },
    records: [
      ...(before === undefined ? [] : leaveAll(image, brokerId, { diskLost })),
      { kind: 'registerBroker', brokerId, brokerEpoch, incarnationId, address, httpAddress, rack, directoryId }
    ]
  }
}

function checkRegistration(image: MetadataImage, command: RegisterBroker): Refusal | undefined {
  const { clusterId, brokerId, incarnationId, address, httpAddress, rack, directoryId } = command
  if (clusterId !== image.clusterId) {
    return new Refusal(fault('INCONSISTENT_CLUSTER_ID',
      `broker ${brokerId} is of cluster ${clusterId.slice(0, ID_LENGTH_MAX)}, this is ${image.clusterId}`,
      'correct cluster.id or controllers'))
  }
  const tooLong = [incarnationId, rack, directoryId].some((text) => text.length > ID_LENGTH_MAX)
    || [address, httpAddress].some((text) => text.length > ADDRESS_LENGTH_MAX)
  if (brokerId < 0 || incarnationId === '' || address === '' || tooLong) {
    return new Refusal(fault('INVALID_REQUEST', `registration of broker ${brokerId}: id from 0, incarnation id, rack `
      + `and directory id up to ${ID_LENGTH_MAX}, addresses up to ${ADDRESS_LENGTH_MAX} characters`))
  }
  return undefined
}

// ---- fence and unfence ----------------------------------------------------------------------------------

/** Takes a broker out. Nothing happens when it is fenced already. */
export interface FenceBroker {
  readonly kind: 'fenceBroker'
  readonly brokerId: number
  readonly brokerEpoch: number
}

export function fenceBroker(image: MetadataImage, command: FenceBroker): Outcome<undefined> | Refusal {
  const { brokerId, brokerEpoch } = command
  return withBroker(image, command, (broker) => (broker.fenced ? [] : [
    ...leaveAll(image, brokerId, { diskLost: false }),
    { kind: 'brokerChange', brokerId, brokerEpoch, fenced: true }
  ]))
}

/** Lets a broker serve that has caught up to its own registration. */
export interface UnfenceBroker {
  readonly kind: 'unfenceBroker'
  readonly brokerId: number
  readonly brokerEpoch: number
}

export function unfenceBroker(image: MetadataImage, command: UnfenceBroker): Outcome<undefined> | Refusal {
  const { brokerId, brokerEpoch } = command
  return withBroker(image, command, (broker) => (!broker.fenced ? [] : [
    { kind: 'brokerChange', brokerId, brokerEpoch, fenced: false },
    ...(broker.draining ? [] : takeLeaderless(image, brokerId))
  ]))
}

function withBroker(
  image: MetadataImage, command: { readonly brokerId: number; readonly brokerEpoch: number },
  records: (broker: BrokerImage) => readonly MetadataRecord[]
): Outcome<undefined> | Refusal {
  const stale = checkBrokerEpoch(image, command.brokerId, command.brokerEpoch)
  if (stale !== undefined) return new Refusal(stale)
  return { reply: undefined, records: records(image.brokers.get(command.brokerId)!) }
}

// ---- drain, resume, unregister --------------------------------------------------------------------------

/** May be repeated: each time it moves what can be moved by then. */
export interface DrainBroker { readonly kind: 'drainBroker'; readonly brokerId: number }

export function drainBroker(image: MetadataImage, { brokerId }: DrainBroker): Outcome<DrainReply> | Refusal {
  const broker = image.brokers.get(brokerId)
  if (broker === undefined) return notRegistered(brokerId)
  const { reply, records } = moveAway(image, brokerId)
  if (broker.draining) return { reply, records }
  const draining = { kind: 'brokerChange', brokerId, brokerEpoch: broker.epoch, draining: true } as const
  return { reply, records: [draining, ...records] }
}

export interface ResumeBroker { readonly kind: 'resumeBroker'; readonly brokerId: number }

export function resumeBroker(image: MetadataImage, { brokerId }: ResumeBroker): Outcome<undefined> | Refusal {
  const broker = image.brokers.get(brokerId)
  if (broker === undefined) return notRegistered(brokerId)
  if (!broker.draining) return { reply: undefined, records: [] }
  return {
    reply: undefined,
    records: [
      { kind: 'brokerChange', brokerId, brokerEpoch: broker.epoch, draining: false },
      ...(broker.fenced ? [] : takeLeaderless(image, brokerId))
    ]
  }
}

/** Forgets a fenced broker. Replicas assigned to it stay assigned: they are gone unless it registers again. */
export interface UnregisterBroker { readonly kind: 'unregisterBroker'; readonly brokerId: number }

export function unregisterBroker(
  image: MetadataImage, { brokerId }: UnregisterBroker): Outcome<undefined> | Refusal {
  const broker = image.brokers.get(brokerId)
  if (broker === undefined) return notRegistered(brokerId)
  if (!broker.fenced) {
    return new Refusal(fault('INVALID_REQUEST', `broker ${brokerId} is active`, 'drain and stop it first'))
  }
  return { reply: undefined, records: [{ kind: 'unregisterBroker', brokerId, brokerEpoch: broker.epoch }] }
}

function notRegistered(brokerId: number): Refusal {
  return new Refusal(fault('BROKER_ID_NOT_REGISTERED', `broker ${brokerId} is not registered`,
    '`weir node list` shows the brokers'))
}

// ---- producer ids ---------------------------------------------------------------------------------------

export const PRODUCER_ID_BLOCK = 1000

export interface AllocateProducerIds {
  readonly kind: 'allocateProducerIds'
  readonly brokerId: number
  readonly brokerEpoch: number
}

/** Ids [first, first + count) belong to the asking broker for ever. */
export interface ProducerIdBlock { readonly first: number; readonly count: number }

export function allocateProducerIds(
  image: MetadataImage, command: AllocateProducerIds): Outcome<ProducerIdBlock> | Refusal {
  const stale = checkBrokerEpoch(image, command.brokerId, command.brokerEpoch)
  if (stale !== undefined) return new Refusal(stale)
  const first = image.nextProducerId
  return {
    reply: { first, count: PRODUCER_ID_BLOCK },
    records: [{ kind: 'producerIds', nextProducerId: first + PRODUCER_ID_BLOCK }]
  }
}
