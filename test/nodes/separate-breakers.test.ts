import { expect, test } from 'bun:test'
import { memoryRecords } from '../../src/adapters/memory-records'
import { RoutingError } from '../../src/domain/error'
import { chainWithBreakers } from '../../src/nodes/chain-breakers'
import { nodeFailures } from '../../src/nodes/node-failures'
import type { ChainClient } from '../../src/ports/chain-client'
import { addressOf, hashOf } from '../support/deposits'
import { order } from '../support/world'

const alone = () => nodeFailures({ records: memoryRecords(), now: Date.now })
const nameOf = (asking: Promise<unknown>) => asking.then(() => 'answered').catch(({ name }) => name)
const slow = () => {
  throw new RoutingError('RPC_TIMEOUT')
}

test('an order with a too slow estimate blocks no other of the same token', async () => {
  const hostile = { ...order, id: hashOf(1), intent: { ...order.intent, recipient: addressOf(0xbad) } }
  const estimate = async ({ intent }: typeof order) => (intent.recipient === addressOf(0xbad) ? slow() : {})
  const chain = chainWithBreakers(
    { chainId: 8453, estimate, second: null } as unknown as ChainClient,
    () => {},
    alone(),
  )
  for (let n = 0; n < 3; n++) await nameOf(chain.estimate(hostile, '0x'))
  expect(await nameOf(chain.estimate({ ...order, id: hashOf(2) }, '0x'))).toBe('answered')
})

test('a coin delivery with a too slow trace blocks no other', async () => {
  const arrived = async (hash: string) => (hash === '0x1' ? slow() : null)
  const chain = chainWithBreakers({ chainId: 8453, arrived, second: null } as unknown as ChainClient, () => {}, alone())
  for (let n = 0; n < 3; n++) await nameOf(chain.arrived('0x1', addressOf(0), '0x'))
  expect(await nameOf(chain.arrived('0x2', addressOf(0), '0x'))).toBe('answered')
})

test('a used route whose event one node lacks blocks no other route', async () => {
  const routeUsed = async (_salt: string, routeId: string) => {
    if (routeId === '0x1') throw new RoutingError('RPC_FAILED')
    return null
  }
  const chain = chainWithBreakers(
    { chainId: 8453, routeUsed, second: null } as unknown as ChainClient,
    () => {},
    alone(),
  )
  for (let n = 0; n < 3; n++) await nameOf(chain.routeUsed('0x', '0x1', 1))
  expect(await nameOf(chain.routeUsed('0x', '0x2', 1))).toBe('answered')
})
