// Catches what must fail, for assertions about the error.

/** The reason `promise` rejects with. Fails when it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    return error
  }
  throw new Error(`resolved with ${String(value)} where a rejection was due`)
}

/** What `call` throws. Fails when it returns. */
export function throwing(call: () => unknown): unknown {
  let value: unknown
  try {
    value = call()
  } catch (error) {
    return error
  }
  throw new Error(`returned ${String(value)} where an error was due`)
}
