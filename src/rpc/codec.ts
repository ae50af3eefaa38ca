// Encoding and decoding of one message type, from its descriptor.

import protobuf from 'protobufjs'

import { WireReader } from './wire-reader.ts'

/** Plain objects with every field: defaults, empty arrays, null for no message. `optional` and oneof may lack. */
const CONVERSION = { defaults: true, longs: Number, enums: Number }

/**
 * The writer that encoders share, grown to what messages need: `finish` copies out of it. Undefined while in use, and
 * after a message so large that its buffer is not worth keeping.
 */
let scratch: protobuf.Writer | undefined
const SCRATCH_BYTES_MAX = 4 * 1024 * 1024

export interface Codec {
  /** The bytes are the caller's. Fields at their default are left out. */
  readonly encode: (message: unknown) => Uint8Array
  /**
   * `bytes` fields are views of `bytes`. Throws RangeError on malformed bytes, on an int64 beyond ±(2^53−1) and on an
   * unknown value of an enum. Unknown fields are skipped.
   */
  readonly decode: (bytes: Uint8Array) => unknown
}

export function codecOf(type: protobuf.Type): Codec {
  const checkEnums = enumCheck(type)
  return {
    encode: (message) => {
      const writer = scratch ?? protobuf.Writer.create()
      scratch = undefined
      const bytes = type.encode(message as Record<string, unknown>, writer.reset()).finish()
      if (bytes.length <= SCRATCH_BYTES_MAX) scratch = writer
      return bytes
    },
    decode: (bytes) => {
      try {
        const message = type.toObject(type.decode(new WireReader(bytes)), CONVERSION)
        checkEnums?.(message)
        return message
      } catch (error) {
        // Whatever goes wrong in here goes wrong because of the bytes: protobufjs also throws Error and TypeError.
        const reason = error instanceof Error ? error.message : String(error)
        throw new RangeError(`${type.name}: ${reason}`, { cause: error })
      }
    }
  }
}

type Fields = Readonly<Record<string, unknown>>
type Check = (message: Fields) => void

/** Throws RangeError on an unknown enum value anywhere in a message; undefined for a type that has no enum in it. */
function enumCheck(type: protobuf.Type): Check | undefined {
  const checks = type.fieldsArray.flatMap((field) => fieldCheck(field.resolve()) ?? [])
  return checks.length === 0 ? undefined : (message) => { for (const check of checks) check(message) }
}

function fieldCheck(field: protobuf.Field): Check | undefined {
  const check = valueCheck(field)
  if (check === undefined) return undefined
  const { name } = field
  if (field.repeated) return (message) => { for (const item of message[name] as readonly unknown[]) check(item) }
  return (message) => { check(message[name]) }
}

function valueCheck(field: protobuf.Field): ((value: unknown) => void) | undefined {
  const { resolvedType } = field
  if (resolvedType instanceof protobuf.Enum) {
    const known = new Set(Object.values(resolvedType.values))
    return (value) => {
      if (value === undefined || known.has(value as number)) return
      const expected = [...known].join(', ')
      throw new RangeError(`${field.name} ${String(value)} is no ${resolvedType.name}: expected ${expected}`)
    }
  }
  if (!(resolvedType instanceof protobuf.Type)) return undefined
  const inner = enumCheck(resolvedType)
  return inner && ((value) => { if (value !== undefined && value !== null) inner(value as Fields) })
}
