import { expect, test } from 'bun:test'
import { type PauseScope, pauseScopes } from '../../../src/domain/tenant/pause-scope'
import { withStops } from '../../../src/estimates/stopped-figures'
import type { Pause } from '../../../src/ports/operators'
import { figures, peopledWorld, target, usdc } from '../world'

async function pausable() {
  const standing = new Set<PauseScope>()
  const find = (scopes: readonly PauseScope[]) =>
    scopes.some((scope) => standing.has(scope)) ? ({ id: scopes[0]! } as Pause) : null
  const clock = { now: 1_000 }
  const listed = new Set<string>()
  const blacklist = { isListed: (...entry: unknown[]) => listed.has(entry.join(':')) }
  const paused = withStops(async () => figures, { pauses: { find }, blacklist, now: () => clock.now })
  const world = await peopledWorld({ figures: paused })
  const { ask, client } = world
  await ask('/api/deposit-intents', { key: client, body: { userId: 'user-1', ...target } })
  const looks = async () => {
    const answers = ['/api/chains', '/api/tokens', '/api/users/user-1/deposit-address'].map((path) =>
      ask(path, { key: client }),
    )
    const [chains, tokens, shown] = (await Promise.all(answers)).map(({ json }) => json)
    const onBase = ({ chainId, fromChainId }: { chainId?: number; fromChainId?: number }) =>
      (chainId ?? fromChainId) === 8453
    const usdcOnBase = (row: { tokenAddress?: string; fromTokenAddress?: string }) =>
      (row.tokenAddress ?? row.fromTokenAddress) === usdc.base
    return {
      chain: chains.find(onBase),
      token: tokens.find(usdcOnBase),
      accepted: shown.accepts.find(usdcOnBase),
      other: shown.accepts.find((row: object) => !onBase(row)),
    }
  }
  return { standing, listed, looks, clock }
}

test('a paused chain accepts and delivers no deposits, and shows the reason everywhere', async () => {
  const { standing, looks, clock } = await pausable()
  expect((await looks()).accepted).toMatchObject({ acceptsDeposits: true, message: null })
  standing.add(pauseScopes.chain(8453))
  const { chain, token, accepted, other } = await looks()
  for (const row of [chain, token, accepted])
    expect(row).toMatchObject({ acceptsDeposits: false, message: expect.stringContaining('paused') })
  expect([chain.delivers, token.delivers, other.acceptsDeposits]).toEqual([false, false, true])
  expect(chain.updatedAt).toBe(new Date(1_000).toISOString())
  standing.clear()
  clock.now = 2_000
  expect((await looks()).chain).toMatchObject({
    acceptsDeposits: true,
    message: null,
    updatedAt: new Date(2_000).toISOString(),
  })
})

test('a paused token is neither accepted nor delivered, while its chain is', async () => {
  const { standing, looks } = await pausable()
  standing.add(pauseScopes.token(8453, usdc.base))
  const { chain, token, accepted } = await looks()
  expect(chain).toMatchObject({ acceptsDeposits: true, delivers: true, message: null })
  expect(token).toMatchObject({ acceptsDeposits: false, delivers: false, message: expect.stringContaining('token') })
  expect(accepted.acceptsDeposits).toBe(false)
})

test('nothing is accepted for a user whose target token or chain is paused, and the reason is the target’s', async () => {
  const [token, chain] = [
    pauseScopes.token(target.targetChainId, target.targetTokenAddress),
    pauseScopes.chain(target.targetChainId),
  ]
  for (const [scope, why] of [
    [token, 'token'],
    [chain, 'chain'],
  ] as const) {
    const { standing, looks } = await pausable()
    standing.add(scope)
    const { accepted, token: shown } = await looks()
    expect(accepted).toMatchObject({ acceptsDeposits: false, message: expect.stringContaining(why) })
    expect(shown.acceptsDeposits).toBe(true)
  }
})

test('nothing is accepted while everything is paused', async () => {
  const { standing, looks } = await pausable()
  standing.add(pauseScopes.all)
  const { chain, accepted, other } = await looks()
  expect([chain, accepted, other].map(({ acceptsDeposits }) => acceptsDeposits)).toEqual([false, false, false])
})

test('a token on the security list is neither accepted nor delivered, while its chain is', async () => {
  const { listed, looks } = await pausable()
  listed.add(`TOKEN:8453:${usdc.base}`)
  const { chain, token, accepted, other } = await looks()
  for (const row of [token, accepted])
    expect(row).toMatchObject({ acceptsDeposits: false, message: expect.stringContaining('security list') })
  expect([chain.acceptsDeposits, token.delivers, other.acceptsDeposits]).toEqual([true, false, true])
})
