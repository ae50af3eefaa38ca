// A broker as a program: what the process around it needs to know.

import { BROKER_KEYS } from '../src/config/keys.ts'
import type { NodeProgram } from '../src/node/run.ts'
import { startBroker } from './server.ts'

export const brokerProgram: NodeProgram<typeof BROKER_KEYS> = {
  kind: 'broker',
  table: BROKER_KEYS,
  start: async (config, ports, httpAddress) => {
    const broker = await startBroker(config, ports, { httpAddress })
    return {
      address: broker.address,
      health: () => {
        const state = broker.state()
        return { ok: state === 'active', detail: { kind: 'broker', id: broker.id, state, ...broker.status() } }
      },
      close: () => broker.close()
    }
  }
}
