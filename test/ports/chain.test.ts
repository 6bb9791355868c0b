import { afterAll, describe, expect, test } from 'bun:test'
import { tokenOf } from '../../src/devnet/chains/tokens'
import type { Address, Hash, Hex } from '../../src/domain/chain/hex'
import type { Order } from '../../src/domain/execution/route'
import type { ChainClient } from '../../src/ports/chain-client'
import { addressOf, hashOf, token as simulatedToken } from '../support/deposits'
import { newAddress, orderWorld } from '../support/order-world'
import { Chain } from '../support/simulation/chain'
import { eventually } from '../support/until'
import { order as anyOrder } from '../support/world'

type ChainQuestion =
  | 'head'
  | 'confirmed'
  | 'balanceOf'
  | 'routeUsed'
  | 'routeUsedIn'
  | 'minedNonces'
  | 'receipt'
  | 'send'
  | 'arrived'
type World = {
  chain: Pick<ChainClient, ChainQuestion | 'confirmations'>
  token: Address
  key: Address
  /** An order whose money is in the account. It is valid for `goodSeconds` by the chain's clock. */
  order(amountRaw: bigint, goodSeconds: number): Promise<Order & { recipient: Address }>
  again(order: Order): Promise<Order>
  signed(nonce: number, order: Order): Promise<{ hash: Hash; bytes: Hex }>
  /** Lets time pass until the value is there, or passes. */
  inTime: typeof eventually
}

async function anvil(): Promise<World & { end(): Promise<void> }> {
  const world = await orderWorld()
  const chain = world.chains[8453]
  const relayer = world.relayers.onChain(8453)[0]!
  const records = new Map<string, Awaited<ReturnType<typeof world.execution>>>()
  return {
    chain,
    token: tokenOf(8453, 'USDC')!.address,
    key: relayer.address,
    inTime: eventually,
    async order(amountRaw, goodSeconds) {
      const recipient = newAddress()
      const there = { from: 'base', to: 'base', token: 'USDC', toToken: 'USDC', protocolFeeBps: 0 } as const
      const record = await world.execution({ ...there, amountRaw, recipient })
      const order = await world.signer.sign(record, (await chain.head()).time + goodSeconds)
      records.set(order.routeId, record)
      return { ...order, recipient }
    },
    again: async ({ routeId, deadline }) => world.signer.sign(records.get(routeId)!, deadline + 1),
    signed: async (nonce, order) => world.relayers.transaction(relayer.id, nonce, order, await chain.fee()),
    end: world.end,
  }
}

async function simulated(): Promise<World & { end(): Promise<void> }> {
  const chain = new Chain({ roll: () => 0.5, between: (low) => low, below: () => 0, chance: () => false })
  const key = addressOf(0xee)
  let orders = 0
  const mine = () => chain.mine(chain.tip.time + 2, 1n)
  mine()
  return {
    chain,
    token: simulatedToken,
    key,
    async order(amountRaw, goodSeconds) {
      const n = ++orders
      const [account, recipient] = [addressOf(0xac00 + n), addressOf(0xbe00 + n)]
      chain.deposit({ hash: hashOf(n), account, amount: amountRaw, from: addressOf(0x5e), refundOf: null })
      mine()
      const intent = { ...anyOrder.intent, recipient }
      const ids = { id: hashOf(0xa00 + n), routeId: hashOf(0xb00 + n), account, amountIn: String(amountRaw) }
      const rest = { protocolFee: '0', gasFee: '0', deadline: chain.tip.time + goodSeconds }
      return { ...anyOrder, ...ids, ...rest, intent, recipient }
    },
    again: async (order) => ({ ...order, id: hashOf(0xc00 + ++orders), deadline: order.deadline + 1 }),
    signed: async (nonce, order) => chain.sign({ key, nonce, orders: [order], fee: { feeCap: 10n, tip: 1n } }),
    inTime: (what, read, isSo) =>
      eventually(
        what,
        () => {
          mine()
          return read()
        },
        isSo,
      ),
    end: async () => {},
  }
}

const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of ends) await end()
})

describe.each([
  ['of anvil', anvil],
  ['of the simulation', simulated],
])('a chain %s', (_name, open) => {
  let opened: ReturnType<typeof anvil> | null = null
  const world = async (): Promise<World> => {
    opened ??= open()
    const made = await opened
    if (!ends.includes(made.end)) ends.push(made.end)
    return made
  }
  const deepOf = ({ chain, inTime }: World, block: number) =>
    inTime(
      'a confirmed block as deep as this one',
      () => chain.confirmed(),
      ({ number }) => number >= block,
    )
  const minedOf = ({ chain, inTime }: World, hash: Hash) => inTime('a receipt', () => chain.receipt(hash))

  test('the confirmed block is at its stated depth below the head, and never moves back', async () => {
    const { chain, inTime } = await world()
    const first = await chain.confirmed()
    const later = await inTime(
      'a later confirmed block',
      () => chain.confirmed(),
      ({ number }) => number > first.number,
    )
    expect((await chain.head()).number - later.number).toBeGreaterThanOrEqual(chain.confirmations - 1)
  })

  test('an order is carried out once and seen from its block on, however often it is sent', async () => {
    const made = await world()
    const { chain, token, key } = made
    const order = await made.order(25_000_000n, 600)
    const { accountSalt, routeId, account } = order
    const nonce = await chain.minedNonces(key)
    const { hash, bytes } = await made.signed(nonce, order)
    expect(await chain.receipt(hash)).toBeNull()
    await chain.send(bytes)
    await chain.send(bytes)
    const { block, succeeded } = await minedOf(made, hash)
    expect(succeeded).toBe(true)
    await deepOf(made, block)
    await chain.send(bytes)
    expect(await chain.routeUsed(accountSalt, routeId, block)).toMatchObject({ hash, block, spentRaw: 25_000_000n })
    expect(await chain.routeUsed(accountSalt, routeId, block - 1)).toBeNull()
    const shown = await Promise.all([block - 1, block].map((at) => chain.routeUsedIn(accountSalt, routeId, at)))
    expect(shown).toMatchObject([null, { hash, block, spentRaw: 25_000_000n }])
    const balances = await Promise.all([block - 1, block].map((at) => chain.balanceOf(token, account, at)))
    expect(balances).toEqual([25_000_000n, 0n])
    const nonces = await Promise.all([block - 1, block].map((at) => chain.minedNonces(key, at)))
    expect(nonces).toEqual([nonce, nonce + 1])
    expect(await chain.arrived(hash, token, order.recipient)).toMatchObject({ amountRaw: 25_000_000n, block })
  })

  test('a second order of a used route moves nothing and uses up its nonce', async () => {
    const made = await world()
    const { chain, key } = made
    const order = await made.order(7_000_000n, 600)
    const nonce = await chain.minedNonces(key)
    const [won, lost] = [await made.signed(nonce, order), await made.signed(nonce + 1, await made.again(order))]
    await chain.send(won.bytes)
    await chain.send(lost.bytes)
    const receipt = await minedOf(made, lost.hash)
    expect(receipt.succeeded).toBe(false)
    await deepOf(made, receipt.block)
    expect(await chain.routeUsed(order.accountSalt, order.routeId, receipt.block)).toMatchObject({ hash: won.hash })
    expect(await chain.minedNonces(key, receipt.block)).toBe(nonce + 2)
  })

  test('an expired order moves nothing', async () => {
    const made = await world()
    const { chain, token, key } = made
    const order = await made.order(9_000_000n, 1)
    await made.inTime(
      'a head after the deadline',
      () => chain.head(),
      ({ time }) => time > order.deadline,
    )
    const { hash, bytes } = await made.signed(await chain.minedNonces(key), order)
    await chain.send(bytes)
    const { succeeded, time, block } = await minedOf(made, hash)
    expect([succeeded, time! > order.deadline]).toEqual([false, true])
    await deepOf(made, block)
    expect(await chain.routeUsed(order.accountSalt, order.routeId, block)).toBeNull()
    expect(await chain.balanceOf(token, order.account, block)).toBe(9_000_000n)
  })

  test('transactions above a gap of nonces wait until the gap is filled', async () => {
    const made = await world()
    const { chain, key } = made
    const [first, second] = [await made.order(3_000_000n, 600), await made.order(4_000_000n, 600)]
    const nonce = await chain.minedNonces(key)
    const [above, below] = [await made.signed(nonce + 1, second), await made.signed(nonce, first)]
    await chain.send(above.bytes)
    const from = (await chain.head()).number
    await made.inTime(
      'two more blocks',
      () => chain.head(),
      ({ number }) => number > from + 1,
    )
    expect(await chain.receipt(above.hash)).toBeNull()
    await chain.send(below.bytes)
    expect([await minedOf(made, below.hash), await minedOf(made, above.hash)]).toMatchObject([
      { succeeded: true },
      { succeeded: true },
    ])
  })
})
