import { afterAll, beforeAll, expect } from 'bun:test'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { type ChainKey, chains } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { hasDelivered } from '../../src/domain/execution/lane'
import { isNightly, nightly } from '../support/depth'
import { type Environment, startEnvironment, type Target } from '../support/environment'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  if (!isNightly) return
  environment = await startEnvironment({ cctp: true })
})
afterAll(() => environment?.stop())

const lifi = (body: object | null) =>
  fetch(`${environment.devnet.controlUrl}/faults/lifi`, {
    method: body ? 'PUT' : 'DELETE',
    ...(body && { body: JSON.stringify(body) }),
  })

type User = { userId: string; address: Address }

/** Two users of an integrator. Deposits at the first address are paid to the second user's address. */
async function led(name: string, first: Target, second: Target): Promise<{ front: User; back: User }> {
  const { api, intend, newUserId } = environment
  const [front, back] = [newUserId(`${name}-front`), newUserId(`${name}-back`)]
  const { depositAddress: between } = await intend(back, second)
  const { depositAddress } = await api.createIntent({
    userId: front,
    targetChainId: chains[first.to].id,
    targetTokenAddress: tokenOf(chains[first.to].id, first.receive)!.address,
    targetAddress: between,
  })
  return { front: { userId: front, address: depositAddress }, back: { userId: back, address: between } }
}

const ofFirst = (what: string, { userId }: User, isSo: (facts: Execution['facts']) => unknown) =>
  until(what, async (note) => {
    const [execution] = note(await environment.executionsOf(userId))
    return execution && isSo(execution.facts) ? execution : null
  })
const isRouted = (user: User) => ofFirst('the order of the first address is signed', user, ({ order }) => order)
const hasLeft = (user: User) => ofFirst('the money has left the first address', user, ({ spent }) => spent)

async function killed(): Promise<void> {
  const { pid, exited } = environment.installation.server('service')
  process.kill(pid!, 'SIGKILL')
  await exited
  await until('the service is up again', (note) => note(environment.installation.server('service').pid) !== pid)
}

const orders = ({ account }: { account: Address }) =>
  environment.routesExecuted().then((all) => all.filter((one) => one.account === account).length)

const delivered = (executions: Execution[]): bigint =>
  executions.reduce((sum, { facts }) => sum + BigInt(facts.delivery!.amountRaw), 0n)

/** Both addresses are empty, and the recipient has the amounts of both records. */
async function assureBalanced({ front, back }: { front: User; back: User }, to: ChainKey, token: string) {
  const { devnet, ended } = environment
  for (const { userId, address } of [front, back])
    for (const { deposit } of await ended(userId, 1)) {
      const { key } = devnet.chains[deposit.chainId]
      expect(await devnet.balanceOf(key, deposit.symbol, address)).toBe(0n)
    }
  const last = await ended(back.userId, 1)
  expect(await devnet.balanceOf(to, token, recipientOf(back.userId))).toBe(delivered(last))
}

nightly(
  'a swap to USDC at one address and its burn at the next are each done once despite a kill in between',
  async () => {
    const { devnet, ended } = environment
    const pair = await led('swap', { to: 'base', receive: 'USDC' }, { to: 'arbitrum', receive: 'USDC' })
    await devnet.sendDeposit({ chainKey: 'base', token: 'WETH', amountRaw: 10n ** 17n, to: pair.front.address })
    await isRouted(pair.front)
    await lifi({ fault: 'DOWN' })
    await hasLeft(pair.front)
    await killed()
    // A third party also pays into the second address. That is a separate deposit, whoever pays.
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 40_000_000n, to: pair.back.address })
    const [first] = await ended(pair.front.userId, 1)
    const last = await ended(pair.back.userId, 2)
    await lifi(null)
    expect([first!.status, first!.facts.route!.kind, first!.facts.route!.provider]).toEqual(['SUCCESS', 'SWAP', 'lifi'])
    expect(last.map(({ status, facts }) => [status, facts.route!.provider])).toEqual([
      ['SUCCESS', 'cctp'],
      ['SUCCESS', 'cctp'],
    ])
    const { hash, amountRaw } = first!.facts.delivery!
    const onward = last.find(({ deposit }) => deposit.txHash === hash)!
    expect([onward.deposit.amountRaw, onward.refundOf]).toEqual([amountRaw, null])
    // Only the deposit that we delivered to the second address counts as passed on.
    const brought = last.map((one) => [
      one === onward,
      first!.facts.leadsTo === one.deposit.lane,
      hasDelivered(first!, one.deposit),
    ])
    expect(brought.toSorted()).toEqual([
      [false, true, 'NO'],
      [true, true, 'YES'],
    ])
    expect([await orders({ account: pair.front.address }), await orders({ account: pair.back.address })]).toEqual([
      1, 2,
    ])
    await assureBalanced(pair, 'arbitrum', 'USDC')
  },
)

nightly(
  'a mint at one address and its swap at the next are each done once despite an outage and a kill in between',
  async () => {
    const { devnet, ended } = environment
    await lifi({ fault: 'DOWN' })
    const pair = await led('mint', { to: 'arbitrum', receive: 'USDC' }, { to: 'arbitrum', receive: 'WETH' })
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 300_000_000n, to: pair.front.address })
    await hasLeft(pair.front)
    await killed()
    const [first] = await ended(pair.front.userId, 1)
    expect([first!.status, first!.facts.route!.provider]).toEqual(['SUCCESS', 'cctp'])
    // The minted amount waits in the second address for a provider that can swap it.
    const { amountRaw } = first!.facts.delivery!
    expect(await devnet.balanceOf('arbitrum', 'USDC', pair.back.address)).toBe(BigInt(amountRaw))
    await lifi(null)
    const [last] = await ended(pair.back.userId, 1)
    expect([last!.status, last!.facts.route!.kind, last!.facts.route!.provider]).toEqual(['SUCCESS', 'SWAP', 'lifi'])
    expect(last!.deposit).toMatchObject({ txHash: first!.facts.delivery!.hash, amountRaw })
    expect([await orders({ account: pair.front.address }), await orders({ account: pair.back.address })]).toEqual([
      1, 1,
    ])
    await assureBalanced(pair, 'arbitrum', 'WETH')
  },
)
