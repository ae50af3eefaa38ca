// The Admin and Transactions services of a broker: admin calls go on to the active controller as they are; producer ids
// are handed out from blocks the controller allocates.

import { weirError } from '../../../src/base/error-code.ts'
import { NetworkError, unary, type Handler, type Method } from '../../../src/ports.ts'
import { methods } from '../../../src/rpc/protos.ts'
import type { ControllerLink } from '../../cluster/controller-link.ts'
import type { ProducerIds } from '../../cluster/producer-ids.ts'

/** Kept back from the caller's deadline, so that our answer arrives before it. */
const MARGIN_MS = 50

export function adminService(link: ControllerLink): readonly Handler[] {
  return Object.values(methods.admin).map((method) => forward(method as Method<unknown, unknown>, link))
}

function forward(method: Method<unknown, unknown>, link: ControllerLink): Handler {
  return unary(method, async (request, caller) => {
    try {
      return await link.call(method, request, Math.max(caller.timeoutMs - MARGIN_MS, MARGIN_MS))
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      // Not repeated here: the controller may have carried it out before its connection broke.
      throw weirError('NETWORK_EXCEPTION', `the active controller was lost during the call: ${error.message}`,
        'look whether it was carried out, then retry')
    }
  })
}

export function transactionsService(producerIds: ProducerIds): readonly Handler[] {
  return [unary(methods.transactions.initProducerId, async (_request, caller) => ({
    producerId: await producerIds.next(caller.timeoutMs), producerEpoch: 0 }))]
}
