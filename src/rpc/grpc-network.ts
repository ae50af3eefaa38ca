// The Network port over gRPC.

import type { Handler, Network } from '../ports.ts'
import { listenGrpc } from './grpc-listener.ts'
import { GrpcPeer } from './grpc-peer.ts'

/** Room for what surrounds a payload of the largest allowed size. */
const SLACK_BYTES = 64 * 1024
const MESSAGE_BYTES = 16 * 1024 * 1024 + SLACK_BYTES
/**
 * HTTP/2 window of answers, for each connection and each stream on it. Requests keep HTTP/2's 64 KiB, and must: Node
 * reads nothing while a write is under way. Were both windows larger than what the kernel buffers, two ends that send
 * in bulk would fill it and wait for each other for ever; so one direction stays small enough to always get through.
 */
const ANSWER_WINDOW_BYTES = 16 * 1024 * 1024

export interface GrpcNetworkOptions {
  /** Largest message sent, and accepted in answers. Default 16 MiB + 64 KiB. */
  readonly maxMessageBytes?: number
  /** Largest message a listener accepts. Default `maxMessageBytes`. */
  readonly maxRequestBytes?: number
  /** A handler rejected with what is no WeirError; its caller got UNKNOWN_SERVER_ERROR. */
  readonly onUnexpected?: (error: unknown, path: string) => void
}

export function grpcNetwork(options: GrpcNetworkOptions = {}): Network {
  const maxMessageBytes = options.maxMessageBytes ?? MESSAGE_BYTES
  const maxRequestBytes = options.maxRequestBytes ?? maxMessageBytes
  const onUnexpected = options.onUnexpected ?? (() => {})
  return {
    listen: (address: string, handlers: readonly Handler[]) => (
      listenGrpc(address, handlers, { maxMessageBytes, maxRequestBytes, onUnexpected })),
    dial: (address: string) => new GrpcPeer(address, { maxMessageBytes, windowBytes: ANSWER_WINDOW_BYTES })
  }
}
