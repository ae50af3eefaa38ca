// Ends a node with the process that started it: stdin is a pipe that the parent never writes to, and the kernel closes
// it however the parent dies.

/** Set by a parent that keeps the other end of stdin. */
export const PARENT_PIPE_VARIABLE = 'WEIR_PARENT_PIPE'

/** Calls `run` once stdin has ended. Does not keep this process alive. */
export function onParentGone(run: () => void): void {
  const { stdin } = process
  stdin.once('end', run)
  stdin.once('error', run)
  stdin.resume()
  // A pipe has it, the declaration of stdin does not say so.
  if ('unref' in stdin) stdin.unref()
}
