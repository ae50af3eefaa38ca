// Outcomes as the wire carries them: number, name, what was wrong, what to do next, who leads.

import { errorName, type Fault } from '../../../src/base/error-code.ts'
import type { Status } from '../../../src/rpc/messages.ts'

export const okStatus: Status = Object.freeze({ code: 0, name: 'NONE', message: '', hint: '', leader: null })

export function statusOf(fault: Fault): Status {
  return {
    code: fault.code, name: errorName(fault.code), message: fault.message, hint: fault.hint ?? '',
    leader: fault.leader === undefined ? null : { ...fault.leader }
  }
}
