// Outcomes as the wire carries them: number, name, what was wrong, what to do next, who leads.

import { errorName, type Fault } from '../base/error-code.ts'
import type { Status } from './messages.ts'

export const okStatus: Status = Object.freeze({ code: 0, name: 'NONE', message: '', hint: '', leader: null })

export function statusOf(fault: Fault | undefined): Status {
  if (fault === undefined) return okStatus
  return {
    code: fault.code, name: errorName(fault.code), message: fault.message, hint: fault.hint ?? '',
    leader: fault.leader === undefined ? null : { ...fault.leader }
  }
}

/** The fault a status carries; undefined when it is none. */
export function faultOf(status: Status | null | undefined): Fault | undefined {
  if (status === null || status === undefined || status.code === 0) return undefined
  return {
    code: status.code, message: status.message,
    ...(status.hint === '' ? {} : { hint: status.hint }),
    ...(status.leader === null ? {} : { leader: { ...status.leader } })
  }
}
