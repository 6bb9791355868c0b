import { afterAll, expect, test } from 'bun:test'
import { Api, sendFromFaucet } from '../../src/cli/client/api'

const statuses: number[] = []
let asked = 0
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch() {
    asked++
    const status = statuses.shift() ?? 200
    if (status === 200) return Response.json({ depositAddress: '0x1' })
    const code = status === 503 ? 'CHAINS_UNVERIFIED' : 'RATE_LIMITED'
    return Response.json({ message: 'not now' }, { status, headers: { 'x-error-code': code } })
  },
})
afterAll(() => server.stop(true))

const intent = { userId: 'user-1', targetChainId: 8453, targetTokenAddress: '0x1', targetAddress: '0x2' }
const api = new Api(`http://127.0.0.1:${server.port}`, 'key')

test('an intent waits until the service has checked the contracts of a chain', async () => {
  statuses.push(503)
  expect(await api.createIntent(intent)).toMatchObject({ depositAddress: '0x1' })
  expect(asked).toBe(2)
})

test('no other refusal is repeated', async () => {
  asked = 0
  statuses.push(429)
  await expect(api.createIntent(intent)).rejects.toThrow('answered 429')
  expect(asked).toBe(1)
})

test('a service that checks its contracts for too long is named with its last answer', async () => {
  statuses.push(503)
  await expect(api.createIntent(intent, -1)).rejects.toThrow(
    /^No address was given out within .* s\. The API answered 503 to POST \/api\/deposit-intents: not now$/,
  )
})

test('a faucet that does not respond is named with the time and the reason', async () => {
  const silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => {}) })
  const deposit = { depositAddress: '0x1', fromChainKey: 'base', fromTokenSymbol: 'USDC', amountIn: '1' }
  const late = sendFromFaucet(`http://127.0.0.1:${silent.port}`, deposit, 20)
  await expect(late).rejects.toThrow(/^The faucet gave no response within 0\.02 s: .*timed out\.$/)
  await silent.stop(true)
})
