// What a command handler gives back: the reply to send once the records are committed, and the records.

import type { Fault } from '../../src/base/error-code.ts'
import type { MetadataRecord } from '../../src/metadata/records.ts'

/** No records = nothing to commit; the reply still waits for everything before it. */
export interface Outcome<Reply> {
  readonly reply: Reply
  readonly records: readonly MetadataRecord[]
}

/** One item of a request that names many: its fault, or undefined when it is done. */
export interface Item { readonly fault: Fault | undefined }

/** A whole command refused. Handlers of many items report faults for each item instead. */
export class Refusal {
  readonly fault: Fault
  constructor(fault: Fault) { this.fault = fault }
}
