// Whether a request comes from the current incarnation of a broker.

import { fault, type Fault } from '../../src/base/error-code.ts'
import type { MetadataImage } from '../../src/metadata/image.ts'

export function checkBrokerEpoch(
  image: MetadataImage, brokerId: number, brokerEpoch: number): Fault | undefined {
  const broker = image.brokers.get(brokerId)
  if (broker === undefined) {
    return fault('BROKER_ID_NOT_REGISTERED', `broker ${brokerId} is not registered`, 'register first')
  }
  if (broker.epoch !== brokerEpoch) {
    return fault('STALE_BROKER_EPOCH', `broker epoch ${brokerEpoch} of broker ${brokerId} is not the current `
      + `${broker.epoch}`, 'another process registered under this id; register again')
  }
  return undefined
}
