import { afterAll, expect, test } from 'bun:test'
import { Api } from '../../src/cli/client/api'

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
