// Promises of work that is done at once, as doubles of slower things need them.

/** Runs `work` now; what it throws is a rejection. */
export function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => { resolve(work()) })
}
