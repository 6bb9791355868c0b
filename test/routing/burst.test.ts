import { expect, test } from 'bun:test'
import { lastValueFrom } from 'rxjs'
import { chains as chainTable } from '../../src/domain/chain/chain'
import type { Hash } from '../../src/domain/chain/hex'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { Execution } from '../../src/domain/execution/execution'
import type { Order } from '../../src/domain/execution/route'
import { plans } from '../../src/domain/tenant/organization'
import type { ChainClient, Chains } from '../../src/ports/chain-client'
import { assignSlots } from '../../src/routing/delivery/relayer-slots'
import { tend } from '../../src/routing/delivery/relayer-transactions'
import { advance } from '../../src/routing/engine/advance'
import type { Steps } from '../../src/routing/engine/step'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { signOrder } from '../../src/routing/steps/sign-order'
import { submitOrder } from '../../src/routing/steps/submit-order'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { unlimited } from '../support/unlimited'
import { delivery, intent, order, stepsThatSucceed } from '../support/world'

// COUNT=700 for a long run.
const count = Number(process.env['COUNT'] ?? 300)
const { blockSeconds, confirmations } = chainTable.polygon
const key = { id: 'polygon:0', address: addressOf(1) }
const route = { provider: 'lifi', call: null, quotedAt: 0 } as never
type Sent = { nonce: number; routeId: Hash; deadline: number }

/** A healthy chain that mines every transaction with the next nonce in the next block. */
function healthyChain(now: () => number) {
  const mined: (Sent & { hash: Hash; block: number; time: number })[] = []
  const pool = new Map<number, Sent & { hash: Hash }>()
  let head = 0
  const confirmed = () => Math.max(0, head - (confirmations - 1))
  const blockAt = (number: number) => ({ number, hash: hashOf(number), time: number * blockSeconds })
  const chain: Partial<ChainClient> = {
    chainId: 8453,
    head: async () => blockAt(head),
    confirmedNumber: async () => confirmed(),
    blockAt: async (number) => blockAt(number),
    minedNonces: async (_key, block = head) => mined.filter((one) => one.block <= block).length,
    fee: async () => ({ feeCap: 80n, tip: 8n }),
    nativeBalance: async () => 10n ** 18n,
    hasTransaction: async () => true,
    assureChain: async () => {},
    receipt: async () => null,
    untilConfirmedMs: async () => null,
    async send(bytes) {
      const sent = JSON.parse(bytes) as Sent
      if (sent.nonce >= mined.length && !pool.has(sent.nonce)) pool.set(sent.nonce, { ...sent, hash: bytes })
    },
    async routeUsed(_salt, routeId, block) {
      const use = mined.find((one) => one.routeId === routeId && one.block <= block && one.time <= one.deadline)
      return use ? { hash: use.hash, block: use.block, spentRaw: 1_000n } : null
    },
  }
  function mine(): void {
    for (; head < Math.floor(now() / 1_000 / blockSeconds); ) {
      head += 1
      for (let next = pool.get(mined.length); next; next = pool.get(mined.length))
        mined.push({ ...next, block: head, time: blockAt(head).time })
    }
  }
  return { chain: chain as ChainClient, mine }
}

test(`${count} simultaneous deposits on a healthy chain that confirms late all arrive without a retry`, async () => {
  let at = 0
  const now = () => at
  const { chain, mine } = healthyChain(now)
  const executions = executionsInMemory(
    ...Array.from({ length: count }, (_, n) => executionOf(n + 1, { version: 1 }, { account: addressOf(0x10000 + n) })),
  )
  const bytesOf = (nonce: number, { routeId, deadline }: Order): Hash =>
    JSON.stringify({ nonce, routeId, deadline }) as Hash
  const ports = {
    now,
    orderSeconds: 150,
    payable: async () => null,
    onLowGas: () => {},
    freshHead: chain.head,
    aggregators: [],
    pollMs: () => 1_000,
    chains: new Proxy({}, { get: () => chain }) as Chains,
    relayerRecords: recordsInMemory<Relayer>(),
    pauses: { find: () => null },
    limits: { ...unlimited, relayerShareOf: async () => plans.free.relayerShare },
    quoting: { prices: { usd: async () => 10n ** 8n }, aggregators: [] },
    screening: { blacklist: { isListed: () => false }, executions },
    executions,
    signer: {
      sign: async ({ facts }: Execution, deadline: number) => {
        orders += 1
        return { ...order, id: hashOf(0x50000 + orders), routeId: facts.routeId!, deadline }
      },
    },
    relayers: {
      forRoute: () => key,
      onChain: () => [key],
      transaction: async (_key: string, nonce: number, order: Order) => {
        const bytes = bytesOf(nonce, order)
        return { hash: bytes, bytes }
      },
    },
  } as never
  let orders = 0
  const confirm = confirmDelivery(ports)
  const sign = signOrder({ ...(ports as object), relaying: ports } as never, async () => ({ type: 'fees priced' }))
  const steps: Steps = {
    ...stepsThatSucceed,
    matchIntent: async ({ deposit }) => ({
      type: 'intent matched',
      facts: { intent, route, gasLimit: '1', routeId: hashOf(Number(deposit.account)) },
    }),
    signOrder: async (execution) => sign({ ...execution, deposit: { ...execution.deposit, txHash: null } }),
    submitOrder: submitOrder(ports),
    confirmDelivery: async (execution) =>
      execution.facts.spent ? { type: 'funds delivered', facts: { delivery } } : confirm(execution),
  }
  const onBug = (_: unknown, error: unknown) => expect.unreachable(String(error))
  const surroundings = { executions, steps, now, random: () => 0.5, onBug }
  for (; executions.all().some(({ dueAt }) => dueAt !== null) && at < 3_600_000; at += 500) {
    mine()
    if (at % 2_000 === 0) await tend(key, { ...(ports as object), chain } as never)
    const woken: string[] = []
    const wakes = { wakeNow: async ({ id }: { id: string }) => void woken.push(id) }
    await assignSlots(key, { ...(ports as object), chain, wakes } as never)
    for (const id of woken) await lastValueFrom(advance(id, true, surroundings), { defaultValue: null })
    for (const { id } of await executions.due(at, -1, count))
      await lastValueFrom(advance(id, false, surroundings), { defaultValue: null })
  }
  const ends = Object.groupBy(executions.all(), ({ status, retryCount }) => `${status} after ${retryCount} retries`)
  expect(Object.keys(ends)).toEqual(['SUCCESS after 0 retries'])
})
