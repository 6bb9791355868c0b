import { expect, test } from 'bun:test'
import { unspendableContracts } from '../../src/app/unspendable-contracts'
import { guardAddresses } from '../../src/deploying/product-contracts'
import { chainIds, perChain } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { unspendable } from '../../src/domain/deposit/unspendable'
import { RoutingError } from '../../src/domain/error'
import { type Execution, returnsMax } from '../../src/domain/execution/execution'
import { pinnedTokens, TokenList } from '../../src/domain/money/token'
import { NotSeconded } from '../../src/domain/unavailable'
import type { Acceptance } from '../../src/ports/chain-client'
import { stargateTokenOf } from '../../src/protocols/lifi/diamond'
import { relaySolver } from '../../src/protocols/relay/relay-order'
import { type PaymentObjection, payable, paymentBlocker, waitIfStopped } from '../../src/routing/engine/payable'
import { screenDeposit } from '../../src/routing/steps/screen-deposit'
import { lifiBridges } from '../../src/signer/route-rules'
import { addressOf } from '../support/deposits'
import { samplesIn } from '../support/real-answers'
import { executionsInMemory } from '../support/records'
import { detected, intent } from '../support/world'

const own = {
  registry: addressOf(0x11),
  executor: addressOf(0x12),
  recoveryExecutor: addressOf(0x13),
  formerExecutors: [addressOf(0x14), addressOf(0x15)],
  lens: addressOf(0x16),
  relaySolver,
}
const listed = { chainId: 137, address: addressOf(0x17), symbol: 'X', name: 'X', decimals: 6 } as const
const isUnspendable = unspendable(unspendableContracts(own), new TokenList([listed]))
const wallet = addressOf(0x1dead5)

const judged = (answer: () => Promise<Acceptance>, second: (() => Promise<Acceptance>) | null = null) => {
  const asked: Address[] = []
  const node = (said: () => Promise<Acceptance>) => ({
    acceptance: (_token: Address, recipient: Address) => {
      asked.push(recipient)
      return said()
    },
  })
  const chain = { ...node(answer), second: second && ({ ...node(second), confirmed: async () => null } as never) }
  return { asked, judge: payable({ chains: perChain(() => chain), unspendable: isUnspendable }) }
}

test('tokens, bridges and our own contracts cannot spend and are refused as recipients on every chain', async () => {
  const { asked, judge } = judged(async () => 'ACCEPTED')
  const pasted: Address[] = [
    '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE', // LI.FI's Diamond
    '0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d', // Circle's TokenMessengerV2
    '0x81D40F21F12A8F0E3252Bccb954D722d4c464B64', // Circle's MessageTransmitterV2
    '0xfd78EE919681417d192449715b2594ab58f5D002', // Circle's TokenMinterV2
    '0x4cD00E387622C35bDDB9b4c962C136462338BC31', // Relay's depository
    '0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A', // Across' SpokePool on Arbitrum
    '0xcA11bde05977b3631167028862bE2a173976CA11', // Multicall3
    '0x000000000022D473030F116dDEE9F6B43aC78BA3', // Permit2
    '0x000000000000000000000000000000000000dEaD',
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    ...[own.registry, own.executor, own.recoveryExecutor, own.lens, ...own.formerExecutors],
    ...guardAddresses(relaySolver),
    ...pinnedTokens.map(({ address }) => address),
    listed.address,
  ]
  const payments = pasted.flatMap((recipient) =>
    chainIds.map((chainId) => ({ chainId, token: addressOf(0x99), recipient, amountRaw: null })),
  )
  const taken: Address[] = []
  for (const payment of payments) if ((await judge(payment)) !== 'UNSPENDABLE') taken.push(payment.recipient)
  expect([taken, asked]).toEqual([[], []])
  expect(isUnspendable(wallet)).toBeNull()
})

test('each bridge of the signer has a recorded contract on every chain, and none of them is accepted as a recipient', async () => {
  type Recorded = { fact: string; bridges?: string[]; chainIds?: number[]; address: Address }
  const contracts = (await samplesIn<Recorded>('facts')).flatMap(([, one]) =>
    one.fact === 'BRIDGE_CONTRACT' ? one : [],
  )
  const without = lifiBridges.flatMap((bridge) => {
    const recorded = contracts.filter(({ bridges }) => bridges?.includes(bridge))
    const served = recorded.flatMap((one) => (isUnspendable(one.address) ? (one.chainIds ?? []) : []))
    return chainIds.filter((chainId) => !served.includes(chainId)).map((chainId) => `${bridge} on ${chainId}`)
  })
  expect(without).toEqual([])
  // Stargate has a pool for each asset that the signer lets it carry.
  const pools = contracts.filter(({ bridges }) => bridges?.includes('stargateV2'))
  for (const chainId of chainIds) {
    const assets = [1, 2, 13].filter((asset) => stargateTokenOf(asset, chainId) !== null)
    const there = pools.filter((pool) => pool.chainIds?.includes(chainId))
    expect(there.length, `pools on ${chainId}`).toBe(assets.length)
  }
})

test('every other recipient is checked on the chain, and an impossible check is no objection', async () => {
  const payment = { chainId: 42161, token: addressOf(0x99), recipient: wallet, amountRaw: 7n } as const
  const seen: Record<string, unknown> = {}
  for (const said of ['ACCEPTED', 'UNTRIED', 'REFUSED', 'BLOCKED', 'PAUSED'] as const)
    seen[said] = await judged(async () => said).judge(payment)
  expect(seen).toEqual({ ACCEPTED: null, UNTRIED: null, REFUSED: 'REFUSED', BLOCKED: 'BLOCKED', PAUSED: 'PAUSED' })
  const away = judged(() => Promise.reject(new Error('away')))
  expect(away.judge(payment)).rejects.toThrow('away')
})

test('one node’s objection to a recipient ends no deposit unless a second node agrees', async () => {
  const payment = { chainId: 42161, token: addressOf(0x99), recipient: wallet, amountRaw: 7n } as const
  const judge = async (said: Acceptance, second: Acceptance | Error) => {
    const other = async () => (second instanceof Error ? Promise.reject(second) : second)
    const { judge, asked } = judged(async () => said, other)
    return [await judge(payment).catch(({ code, name }) => code ?? name), asked.length]
  }
  const seen: Record<string, unknown> = {}
  for (const said of ['REFUSED', 'BLOCKED', 'PAUSED', 'ACCEPTED'] as const) {
    const others = ['ACCEPTED', 'UNTRIED', new RoutingError('RPC_TIMEOUT'), said] as const
    seen[said] = await Promise.all(others.map((second) => judge(said, second)))
  }
  const [differs, silent] = [
    ['NotSeconded', 2],
    ['RPC_TIMEOUT', 2],
  ]
  const one = (said: string) => [differs, differs, silent, [said, 2]]
  const accepted = [null, 1]
  expect(seen).toEqual({
    REFUSED: one('REFUSED'),
    BLOCKED: one('BLOCKED'),
    PAUSED: one('PAUSED'),
    ACCEPTED: [accepted, accepted, accepted, accepted],
  })
})

test('a refused payment waits while no second node responds, and is signed after a trial that a second node cannot run', async () => {
  const silent = () => Promise.reject(new NotSeconded(42161, 1))
  const block = async () => ({ number: 1, hash: '0x1', time: 1 })
  const waiting = { for: 'NODE', since: 0 } as const
  const blocked = (said: Acceptance, confirmed: () => Promise<unknown>) => {
    const chain = { acceptance: async () => said, second: { acceptance: silent, confirmed } as never }
    const judge = payable({ chains: perChain(() => chain), unspendable: () => null })
    const record = { ...detected, facts: { intent, waiting } }
    return paymentBlocker(record, { payable: judge, now: () => 24 * 60 * 60_000 }).then(
      (outcome) => outcome && 'waits',
      ({ waitingFor }) => waitingFor,
    )
  }
  const seen: Record<string, unknown> = {}
  for (const said of ['REFUSED', 'BLOCKED', 'PAUSED', 'ACCEPTED'] as const)
    seen[said] = [await blocked(said, silent), await blocked(said, block)]
  const refused = ['NODE', null]
  expect(seen).toEqual({ REFUSED: refused, BLOCKED: refused, PAUSED: refused, ACCEPTED: [null, null] })
})

test('a reverted transfer ends after ten minutes in which no node could try the token, and never while the second is unreachable', async () => {
  const silent = () => Promise.reject(new NotSeconded(8453, 1))
  const block = async () => ({ number: 1, hash: '0x1', time: 1 })
  const reverted = new RoutingError('SIMULATION_REVERTED')
  const met = (confirmed: () => Promise<unknown>, nowMs: number) => {
    const chain = { acceptance: silent, second: { acceptance: silent, confirmed } as never }
    const record = { ...detected, facts: { intent, waiting: { for: 'NODE', since: 0 } as const } }
    return waitIfStopped(reverted, record, { chains: perChain(() => chain), now: () => nowMs }).then(
      () => 'waits',
      (error) => error.code ?? error.waitingFor,
    )
  }
  const [early, late] = [9 * 60_000, 10 * 60_000]
  expect([await met(block, early), await met(block, late), await met(silent, late)]).toEqual([
    'NODE',
    'SIMULATION_REVERTED',
    'NODE',
  ])
})

test('a refused transfer waits for the issuer who stopped a token, and ends if two nodes block our account or its recipient', async () => {
  const { account, chainId } = detected.deposit
  const pay = { ...intent, targetChainId: chainId, targetAddress: wallet }
  const record = { ...detected, facts: { intent: pay } }
  const met = (who: string, first: Acceptance, other: Acceptance) => {
    const saying = (said: Acceptance) => async (_token: string, holder: string) => (holder === who ? said : 'ACCEPTED')
    const chain = { acceptance: saying(first), second: { acceptance: saying(other) } as never }
    return waitIfStopped(new RoutingError('SIMULATION_REVERTED'), record, {
      chains: perChain(() => chain),
      now: () => 0,
    })
      .then((outcome) => 'waitingFor' in outcome && outcome.waitingFor)
      .catch((error) => error.code ?? error.waitingFor)
  }
  const seen: Record<string, unknown> = {}
  for (const said of ['PAUSED', 'BLOCKED', 'REFUSED'] as const) {
    const both = (who: string) => [met(who, said, said), met(who, said, 'ACCEPTED'), met(who, 'ACCEPTED', said)]
    seen[said] = await Promise.all([...both(account), ...both(wallet)])
  }
  const [waits, ends] = [['TOKEN', 'TOKEN', 'TOKEN'], Array(6).fill('SIMULATION_REVERTED')]
  // Two nodes refused the transfer, so it ends with that reason where the first node accepts the recipient.
  const blocked = [...ends.slice(0, 3), 'RECIPIENT_BLOCKED', 'NODE', 'SIMULATION_REVERTED']
  expect(seen).toEqual({ PAUSED: [...waits, ...waits], BLOCKED: blocked, REFUSED: ends })
  // One node's block must not hide the stop that the other shows.
  expect(await Promise.all([met(account, 'BLOCKED', 'PAUSED'), met(account, 'PAUSED', 'BLOCKED')])).toEqual([
    'TOKEN',
    'TOKEN',
  ])
})

test('refunded money ends when its recipient objects, and other money is checked before signing', async () => {
  const back = { ...detected, refundOf: 'sent', facts: { intent, returns: returnsMax + 1 } }
  const screened = (record: Execution, answer: () => Promise<PaymentObjection | null>) =>
    screenDeposit({
      blacklist: { isListed: () => false },
      pauses: { find: () => null },
      payable: answer,
      executions: executionsInMemory(),
      now: () => 0,
    } as never)(record).then(
      () => 'screened',
      ({ code }) => code,
    )
  const seen: Record<string, unknown> = {}
  for (const objection of ['UNSPENDABLE', 'BLOCKED', 'REFUSED', 'PAUSED', null] as const)
    seen[`${objection}`] = await screened(back, async () => objection)
  expect(seen).toEqual({
    UNSPENDABLE: 'RECIPIENT_UNSPENDABLE',
    BLOCKED: 'RECIPIENT_BLOCKED',
    REFUSED: 'RECIPIENT_REFUSES',
    PAUSED: 'RETURNED_TOO_OFTEN',
    null: 'RETURNED_TOO_OFTEN',
  })
  expect(await screened(back, () => Promise.reject(new RoutingError('RPC_TIMEOUT')))).toBe('RETURNED_TOO_OFTEN')
  expect(await screened({ ...back, refundOf: null, facts: { intent } }, async () => 'REFUSED')).toBe('screened')
})
