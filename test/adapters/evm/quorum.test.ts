import { expect, test } from 'bun:test'
import { quorum } from '../../../src/adapters/evm/rpc/quorum'
import { type ErrorCode, RoutingError } from '../../../src/domain/error'
import { RouteStopped } from '../../../src/domain/unavailable'
import type { SecondNode } from '../../../src/ports/chain-client'
import { hashOf } from '../../support/deposits'
import { order } from '../../support/world'

type Said = { gasLimit: bigint; costWei: bigint } | ErrorCode | Error
const estimates = (...all: Said[]) =>
  quorum(
    all.map((said) => {
      const error = typeof said === 'string' ? new RoutingError(said) : said instanceof Error ? said : null
      return { estimate: async () => (error ? Promise.reject(error) : said) } as unknown as SecondNode
    }),
  )
    .estimate(order, order.account)
    .catch(({ code }) => code)
const gas = (gasLimit: bigint, costWei: bigint) => ({ gasLimit, costWei })

test('a refusal by the chain needs two nodes, and gas is the most that two nodes report', async () => {
  const reverts = 'SIMULATION_REVERTED'
  expect(await estimates(reverts, reverts)).toBe(reverts)
  expect(await estimates(reverts, gas(1n, 1n), reverts)).toBe(reverts)
  expect(await estimates(reverts, 'RPC_TIMEOUT', reverts)).toBe(reverts)
  expect(await estimates(new RouteStopped(), new RouteStopped())).toBe('UNEXPECTED')
  for (const other of ['TOKEN_NOT_SUPPORTED', new RouteStopped(), gas(1n, 1n)] as const)
    expect(await estimates(reverts, other)).toBe('RPC_FAILED')
  expect(await estimates(reverts, 'RPC_TIMEOUT')).toBe('RPC_TIMEOUT')
  expect(await estimates(reverts, gas(2n, 30n), gas(3n, 20n))).toEqual(gas(2n, 20n))
  expect(await estimates(gas(9n, 90n), gas(3n, 30n))).toEqual(gas(3n, 30n))
  expect(await estimates(gas(9n, 90n), gas(3n, 30n), gas(2n, 70n))).toEqual(gas(3n, 70n))
})

test('two nodes agree on a reason if the same party must act, and on a fee as far as both reach', async () => {
  const reason = (...all: (string | null)[]) =>
    quorum(all.map((one) => ({ revertReason: async () => one }) as unknown as SecondNode))
      .revertReason(hashOf(1))
      .catch(({ code }) => code)
  expect(['CallFailed', null]).toContain(await reason('CallFailed', null))
  expect(await reason('BadSignature', null)).toBe('RPC_FAILED')
  expect(['BadSignature', 'Paused']).toContain(await reason('BadSignature', null, 'Paused'))
  const fees = [8n, 3n].map((feeCap) => ({ fee: async () => ({ feeCap, tip: 1n }) }) as unknown as SecondNode)
  expect(await quorum(fees).fee()).toEqual({ feeCap: 3n, tip: 1n })
})
