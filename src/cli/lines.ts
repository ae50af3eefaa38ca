// Lines of a stream of bytes, as bytes: nothing is decoded, and only `\n` ends a line.

import { UsageError } from './parse.ts'

const LF = 0x0a
/** No broker takes a record as large as this. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024

/**
 * The lines that each chunk completes, without their ends, in order; a last line without an end counts, too. They may
 * be views of the chunk. Throws UsageError when a line is longer than `maxBytes`.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes = LINE_BYTES_MAX):
  AsyncGenerator<readonly Uint8Array[], void, undefined> {
  let parts: Uint8Array[] = []
  let bytes = 0
  let lineNumber = 1
  const keep = (part: Uint8Array) => {
    bytes += part.length
    if (bytes > maxBytes) throw new UsageError(`line ${lineNumber} is longer than ${maxBytes} bytes`)
    parts.push(part)
  }
  const taken = (): Uint8Array => {
    const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    parts = []
    bytes = 0
    lineNumber++
    return line
  }
  for await (const chunk of chunks) {
    const lines: Uint8Array[] = []
    let from = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      keep(chunk.subarray(from, end))
      lines.push(taken())
      from = end + 1
    }
    if (from < chunk.length) keep(chunk.subarray(from))
    if (lines.length > 0) yield lines
  }
  if (bytes > 0) yield [taken()]
}
