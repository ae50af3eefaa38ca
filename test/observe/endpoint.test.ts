// Tests of the HTTP endpoint for metrics and health.

import { expect } from 'chai'
import { once } from 'node:events'
import { connect } from 'node:net'

import { startEndpoint, type Endpoint, type Health } from '../../src/observe/endpoint.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { NetworkError } from '../../src/ports.ts'
import { failureOf } from '../support/failures.ts'

describe('startEndpoint', () => {
  let health: () => Health
  let endpoint: Endpoint
  const metrics = createMetrics()

  beforeEach(async () => {
    health = () => ({ ok: true, detail: 'active' })
    endpoint = await startEndpoint({
      address: '127.0.0.1:0', metrics, health: () => health(), extra: () => ({ brokerId: 1 })
    })
  })
  afterEach(() => endpoint.close())

  const ask = (path: string, init?: RequestInit) => fetch(`http://${endpoint.address}${path}`, init)

  it('tells the port it got', () => {
    expect(endpoint.address).to.match(/^127[.]0[.]0[.]1:[1-9]\d*$/)
  })

  it('serves metrics', async () => {
    const response = await ask('/metrics?x=1')
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal(metrics.contentType)
    expect(await response.text()).to.include('weir_controller_commands_total 0')
  })

  it('serves health as 200 or 503', async () => {
    const good = await ask('/health')
    expect(good.status).to.equal(200)
    expect(await good.json()).to.deep.equal({ ok: true, detail: 'active' })
    health = () => ({ ok: false, detail: { fenced: true } })
    const bad = await ask('/health')
    expect(bad.status).to.equal(503)
    expect(await bad.json()).to.deep.equal({ ok: false, detail: { fenced: true } })
  })

  it('serves status, whatever the health', async () => {
    health = () => ({ ok: false, detail: 'starting' })
    const response = await ask('/status')
    expect(response.status).to.equal(200)
    expect(await response.json()).to.deep.equal({ ok: false, detail: 'starting', brokerId: 1 })
  })

  it('answers 404 elsewhere, 405 to a write, 500 to a failure, and lives on', async () => {
    expect((await ask('/')).status).to.equal(404)
    expect((await ask('/metrics/x')).status).to.equal(404)
    const post = await ask('/health', { method: 'POST', body: 'x'.repeat(100_000) })
    expect(post.status).to.equal(405)
    expect(post.headers.get('allow')).to.equal('GET, HEAD')
    health = () => { throw new Error('no health') }
    const failed = await ask('/health')
    expect(failed.status).to.equal(500)
    expect(await failed.json()).to.deep.equal({ error: 'no health' })
    const head = await ask('/metrics', { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
  })

  it('refuses headers beyond 8 KiB', async () => {
    expect((await ask('/health', { headers: { 'x-long': 'x'.repeat(10_000) } })).status).to.equal(431)
  })

  it('closes with connections open, and frees the port', async () => {
    const [host, port] = endpoint.address.split(':')
    const socket = connect(Number(port), host)
    socket.on('error', () => { socket.destroy() })
    await once(socket, 'connect')
    const closed = once(socket, 'close')
    await endpoint.close()
    await closed
    const again = await startEndpoint({ address: endpoint.address, metrics, health })
    await again.close()
  })

  it('says why it cannot listen', async () => {
    const taken = await failureOf(startEndpoint({ address: endpoint.address, metrics, health }))
    expect(taken).to.be.instanceOf(NetworkError)
    expect(taken).to.include({ code: 'EADDRINUSE' })
    expect((taken as Error).message).to.include(endpoint.address)
    for (const address of ['', 'localhost', '127.0.0.1:', '127.0.0.1:65536', ':9', '::1:9', 'a b:9']) {
      expect(await failureOf(startEndpoint({ address, metrics, health })), address)
        .to.include({ code: 'INVALID_ADDRESS' })
    }
  })
})
