import { afterAll, expect, test } from 'bun:test'
import { httpFaucet } from '../../src/adapters/faucet'
import { testAll } from '../support/test-all'

const hash = `0x${'a'.repeat(64)}`
const gift = { chainKey: 'base', tokenSymbol: 'USDC', amountRaw: 25_000_000n, to: `0x${'1'.repeat(40)}` } as const

let answer: () => Response
const asked: unknown[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    asked.push([request.method, new URL(request.url).pathname, await request.json()])
    return answer()
  },
})
const faucet = httpFaucet(`http://127.0.0.1:${server.port}`)
afterAll(() => server.stop(true))

test('the faucet gets atomic units and returns the hash', async () => {
  answer = () => Response.json({ depositTxHash: hash }, { status: 201 })
  expect(await faucet.send(gift)).toBe(hash as `0x${string}`)
  const body = { depositAddress: gift.to, fromChainKey: 'base', fromTokenSymbol: 'USDC', amountIn: '25000000' }
  expect(asked).toEqual([['POST', '/deposits', body]])
})

testAll<[string, () => Response, string]>([
  ['refuses', () => Response.json({ message: 'no' }, { status: 400 }), 'PROVIDER_MALFORMED'],
  ['fails', () => new Response('<html>', { status: 500 }), 'PROVIDER_FAILED'],
  ['says another thing', () => Response.json({ depositTxHash: '0x1' }, { status: 201 }), 'PROVIDER_MALFORMED'],
  ['says nothing', () => Response.json(null, { status: 201 }), 'PROVIDER_MALFORMED'],
])('a faucet that refuses, fails or sends garbage is a coded error', async (_case, given, code) => {
  answer = given
  await expect(faucet.send(gift)).rejects.toMatchObject({ code })
})
