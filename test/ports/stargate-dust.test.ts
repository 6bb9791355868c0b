import { afterAll, beforeAll, expect } from 'bun:test'
import { chains } from '../../src/domain/chain/chain'
import { isNative } from '../../src/domain/money/token'
import { newAddress, type OrderWorld, orderWorld } from '../support/order-world'
import { testAll } from '../support/test-all'
import { eventually } from '../support/until'

let world: OrderWorld
beforeAll(async () => {
  world = await orderWorld('lifi', ['stargateV2'])
})
afterAll(() => world?.end())

const dustMaxWei = 10n ** 12n

testAll([
  ['native', 5n * 10n ** 16n + 123_456_789_012n],
  ['native', 10n ** 15n],
  ['USDC', 25_000_001n],
])(
  'a transfer by Stargate is carried out: dust stays, and the unused messaging fee returns',
  async (token, amountRaw) => {
    const { signer, relayers, provider } = world
    const base = world.chains[chains.base.id]
    const wanted = { from: 'base', token, to: 'arbitrum', toToken: token, amountRaw, recipient: newAddress() } as const
    const execution = await world.execution(wanted)
    const { account } = execution.deposit
    const order = await signer.sign(execution, await world.deadline('base'))
    const { id, address } = relayers.forRoute(chains.base.id, order.routeId)
    const { gasLimit } = await base.estimate(order, address)
    const priced = { ...order, gasLimit: String((gasLimit * 13n) / 10n) }
    const { hash, bytes } = await relayers.transaction(id, await base.minedNonces(address), priced, await base.fee())
    await base.send(bytes)

    const sent = { hash, fromChainId: chains.base.id, toChainId: chains.arbitrum.id, reference: null }
    const outcome = await eventually(
      'an end of the bridge’s work',
      () => provider.outcome(sent, AbortSignal.timeout(60_000)),
      ({ kind }) => kind !== 'PENDING',
    )
    if (outcome.kind !== 'DELIVERED') throw new Error(outcome.kind)
    const { targetTokenAddress, targetAddress } = execution.facts.intent!
    const arrived = await eventually('the transfer that arrived', () =>
      world.chains[chains.arbitrum.id].arrived(outcome.hash, targetTokenAddress, targetAddress),
    )
    expect(arrived.amountRaw).toBe(BigInt(execution.facts.route!.amountOutExpected))

    const { number } = await base.head()
    const left = await base.balanceOf(execution.deposit.token, account, number)
    const native = isNative(execution.deposit.token)
    expect(left <= (native ? dustMaxWei : 0n)).toBe(true)
    expect(native && amountRaw % dustMaxWei !== 0n ? left > 0n : true).toBe(true)
  },
)
