// The text of a node's /metrics.

import { get } from 'node:http'

const TIMEOUT_MS = 2_000

/** `address`: host:port of the node's HTTP endpoint. Rejects with what node:http reports, and after 2 s. */
export function scrape(address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(`http://${address}/metrics`, { timeout: TIMEOUT_MS }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => { parts.push(part) })
      response.once('error', reject)
      response.once('end', () => { resolve(Buffer.concat(parts).toString()) })
    })
    request.once('timeout', () => { request.destroy(new Error(`${address} said nothing for ${TIMEOUT_MS} ms`)) })
    request.once('error', reject)
  })
}
