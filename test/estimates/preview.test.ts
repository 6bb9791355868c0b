import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import {
  ProviderPaused,
  ProviderUnavailable,
  RoutingPaused,
  TemporarilyUnavailable,
} from '../../src/domain/unavailable'
import { preview } from '../../src/estimates/preview'
import type { Payable, Payment, PaymentObjection } from '../../src/routing/engine/payable'
import { testAll } from '../support/test-all'
import { detected, intent, order, stepsThatSucceed } from '../support/world'

// A real deposit would wait. A preview shows which provider does not respond.
testAll([
  [new ProviderUnavailable('lifi', 10_000), 'PROVIDER_UNREACHABLE'],
  [new TemporarilyUnavailable('Base', 5_000, 'NODE'), 'RPC_UNREACHABLE'],
])('preview: a provider in back-off cannot be queried', async (resting, code) => {
  const findRoute = () => Promise.reject(resting)
  const looking = preview({ ...stepsThatSucceed, findRoute }, async () => null)(detected, intent, order.routeId)
  expect(looking).rejects.toMatchObject({ code })
})

test('preview: a pause of the deposit, or of the only provider with a route, is stated as a pause', async () => {
  const screenDeposit = async () => ({ retryInMs: 5_000, waitingFor: 'PAUSE' }) as const
  const findRoute = () => Promise.reject(new ProviderPaused())
  for (const step of [{ screenDeposit }, { findRoute }] as Partial<typeof stepsThatSucceed>[]) {
    const looking = preview({ ...stepsThatSucceed, ...step }, async () => null)(detected, intent, order.routeId)
    expect(await looking.catch((error) => error)).toBeInstanceOf(RoutingPaused)
  }
})

test('preview: a payment that the destination chain would refuse is refused, and an unresponsive chain refuses nothing', async () => {
  const asked: Payment[] = []
  const looking = (answer: () => Promise<PaymentObjection | null>) => {
    const payable: Payable = (payment) => {
      asked.push(payment)
      return answer()
    }
    const found = preview(stepsThatSucceed, payable)(detected, intent, order.routeId)
    return found.then(() => 'previewed').catch((error) => error.code)
  }
  const seen: Record<string, unknown> = { away: await looking(() => Promise.reject(new RoutingError('RPC_TIMEOUT'))) }
  for (const objection of [null, 'UNSPENDABLE', 'BLOCKED', 'REFUSED', 'PAUSED'] as const)
    seen[`${objection}`] = await looking(async () => objection)
  expect(seen).toEqual({
    away: 'previewed',
    null: 'previewed',
    UNSPENDABLE: 'RECIPIENT_UNSPENDABLE',
    BLOCKED: 'RECIPIENT_BLOCKED',
    REFUSED: 'RECIPIENT_REFUSES',
    PAUSED: 'previewed',
  })
  const { targetChainId: chainId, targetTokenAddress: token, targetAddress: recipient } = intent
  expect(asked[0]).toMatchObject({ chainId, token, recipient })
})
