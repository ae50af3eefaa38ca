// A controller as a program: what the process around it needs to know.

import { CONTROLLER_KEYS } from '../src/config/keys.ts'
import type { NodeProgram } from '../src/node/run.ts'
import { startController } from './server.ts'

export const controllerProgram: NodeProgram<typeof CONTROLLER_KEYS> = {
  kind: 'controller',
  table: CONTROLLER_KEYS,
  start: async (config, ports) => {
    const controller = await startController(config, ports)
    return {
      address: controller.address,
      health: () => {
        const status = controller.status()
        return { ok: status.leaderId !== -1, detail: { kind: 'controller', id: controller.id, ...status } }
      },
      close: () => controller.close()
    }
  }
}
