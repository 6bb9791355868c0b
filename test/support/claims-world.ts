import { lastValueFrom } from 'rxjs'
import type { Address, Hash } from '../../src/domain/chain/hex'
import type { IntentSnapshot } from '../../src/domain/deposit/deposit-intent'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import { newExecution as begun, depositIdOf, type Execution } from '../../src/domain/execution/execution'
import type { Lane } from '../../src/domain/execution/lane'
import { OperationRefused } from '../../src/domain/execution/operation'
import type { Route } from '../../src/domain/execution/route'
import { sumOf } from '../../src/domain/money/amount'
import { type Holder, holdingOf } from '../../src/domain/money/holding'
import type { Chains } from '../../src/ports/chain-client'
import type { DeliveryClaim } from '../../src/ports/executions'
import type { BridgeOutcome } from '../../src/ports/gate'
import type { Aggregator } from '../../src/providers/aggregator'
import { refunds } from '../../src/routing/delivery/refunds'
import { advance } from '../../src/routing/engine/advance'
import type { Step, Steps } from '../../src/routing/engine/step'
import { deadLetter } from '../../src/routing/operations/dead-letter'
import type { OperationPorts } from '../../src/routing/operations/ports'
import { redrive } from '../../src/routing/operations/redrive'
import { retryNow } from '../../src/routing/operations/retry-now'
import { notingSuperseded } from '../../src/routing/steps'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { takeLane } from '../../src/routing/steps/take-lane'
import { verifyBalance } from '../../src/routing/steps/verify-balance'
import { account, addressOf, depositOf, hashOf } from './deposits'
import { executionsInMemory, recordsInMemory, recordsOf } from './records'
import { intent, order } from './world'

export const tokens = [addressOf(0x70), addressOf(0x71)] as const
export const bridge = addressOf(0xb1)
export const recipients = 'recipients'
export const otherToken = addressOf(0x99)
const asked = {
  actor: { kind: 'MEMBER', id: 'm', label: 'm' },
  organizationId: null,
  reason: 'why',
  requestId: null,
} as const

/** Outcome of an attempt. With the first seven the money stays in the account; with the others it leaves. */
export const fates = [
  'TRY_AGAIN',
  'NO_ROUTE',
  'INVALID_TARGET',
  'TOKEN_BLACKLISTED',
  'FEES',
  'QUOTA_EXCEEDED',
  'GIVEN_UP',
  'DELIVERED',
  'OTHER_TOKEN',
  'RETURNED',
  'RETURNED_OTHERWISE',
  'RETURNED_UNNAMED',
  'LOST',
] as const
export type Fate = (typeof fates)[number]
const stops: Partial<Record<Fate, ErrorCode>> = {
  TRY_AGAIN: 'PROVIDER_FAILED',
  NO_ROUTE: 'NO_ROUTE',
  INVALID_TARGET: 'INVALID_TARGET',
  QUOTA_EXCEEDED: 'MONTHLY_QUOTA_REACHED',
  GIVEN_UP: 'TRANSACTION_REVERTED',
}

export type Move =
  | { what: 'deposit'; token: number; amount: number }
  | { what: 'redrive' | 'refund' | 'dead-letter' | 'retry'; which: number }
  | { what: 'wait' }

/** Time between polls is twice as long, so a sent transaction is mined before the next poll. */
const blockMs = 100

type Sent = { id: string; fate: Fate; token: Address; amount: bigint }

/**
 * An account, a chain and a bridge in memory, with the engine's own machine, balances, lanes, evidence, refunds and
 * actions.
 */
export function claimsWorld(fateOf: (attempt: number) => Fate) {
  const executions = executionsInMemory()
  const held = new Map<string, bigint>()
  const move = (owner: string, token: Address, amount: bigint) =>
    held.set(`${owner} ${token}`, (held.get(`${owner} ${token}`) ?? 0n) + amount)
  const has = (owner: string, token: Address) => held.get(`${owner} ${token}`) ?? 0n
  const clock = { at: 1_000, block: 10, arrivals: 0, attempts: 0 }
  const now = () => clock.at
  const fatesOf = new Map<string, Fate>()
  const used = new Map<Hash, { hash: Hash; block: number; spentRaw: bigint }>()
  const sent = new Map<Hash, Sent & { back: Hash | null }>()
  /** Deposits that the scanner has not recorded yet. */
  const arriving: (() => Promise<void>)[] = []
  const delivered = new Map<Hash, { token: Address; to: Address; amount: bigint; place: string }>()

  const evidence = (hash: Hash, token: Address) => {
    const found = delivered.get(hash)
    if (!found) return null
    const amountRaw = found.token === token ? found.amount : 0n
    const parts = amountRaw > 0n ? [{ place: found.place, amountRaw }] : []
    return { amountRaw, block: clock.block, time: clock.at, parts }
  }
  const chain = {
    chainId: 8453,
    confirmations: 1,
    confirmed: async () => ({ number: clock.block, time: Math.floor(clock.at / 1_000), hash: '0x0' }),
    confirmedNumber: async () => clock.block,
    head: async () => ({ number: clock.block, time: Math.floor(clock.at / 1_000), hash: '0x0' }),
    balanceOf: async (token: Address, of: Address) => has(of, token),
    assureChain: async () => {},
    routeUsed: async (_salt: Hash, routeId: Hash) => used.get(routeId) ?? null,
    routeUsedIn: async () => null,
    untilConfirmedMs: async () => null,
    receipt: async (hash: Hash) => {
      const mined = [...used.values()].find((one) => one.hash === hash)
      return mined ? { block: mined.block, succeeded: true, time: Math.floor(clock.at / 1_000) } : null
    },
    arrived: async (hash: Hash, token: Address) => evidence(hash, token),
    transaction: async (hash: Hash) => {
      const one = delivered.get(hash)
      return one && { transfers: [{ token: one.token, to: one.to, amountRaw: one.amount }] }
    },
  }
  const chains = new Proxy({}, { get: () => chain }) as Chains
  const aggregator = {
    name: 'fake',
    outcome: async ({ hash }: { hash: Hash }): Promise<BridgeOutcome> => {
      const one = sent.get(hash)
      if (!one || one.fate === 'LOST') return { kind: 'PENDING' }
      if (one.back !== null) return { kind: 'RETURNED', hash: one.fate === 'RETURNED_UNNAMED' ? null : one.back }
      const kind = one.fate === 'OTHER_TOKEN' ? 'DELIVERED_OTHERWISE' : 'DELIVERED'
      return { kind, hash: hashOf(0xd000 + [...sent.keys()].indexOf(hash)) }
    },
  } as unknown as Aggregator
  const { claim } = refunds({ executions, aggregators: [aggregator], chains, now, onTrouble: () => {} })

  async function found(token: Address, amount: bigint, txHash: Hash): Promise<void> {
    clock.block += 1
    const id = depositIdOf(8453, txHash, 0)
    const deposit = depositOf(1, { token, amountRaw: String(amount), txHash, block: clock.block, detectedAt: clock.at })
    const refund = await claim({ id, chainId: 8453, account, token, amountRaw: amount, txHash })
    if (refund === 'UNANSWERED') throw new Error('The fake always answers')
    const record = begun({ id, organizationId: 'org_1', userId: 'user-1', deposit, machineVersion: '1' }, clock.at)
    const facts = refund ? { returns: refund.returns } : {}
    await executions.save({ ...record, facts, refundOf: refund?.executionId ?? null })
  }

  /** Money moves on the chain first. A bridge's refund is then detected like any other deposit. */
  async function land(hash: Hash, one: Sent, { targetAddress, targetTokenAddress }: IntentSnapshot): Promise<void> {
    const isOtherwise = one.fate === 'RETURNED_OTHERWISE'
    const isBack = isOtherwise || one.fate === 'RETURNED' || one.fate === 'RETURNED_UNNAMED'
    const back = isBack ? hashOf(0xb000 + sent.size) : null
    sent.set(hash, { ...one, back })
    if (one.fate === 'LOST') return
    move(bridge, one.token, -one.amount)
    const n = [...sent.keys()].indexOf(hash)
    if (isBack) {
      const token = isOtherwise ? tokens[one.token === tokens[0] ? 1 : 0] : one.token
      const amount = isOtherwise ? one.amount / 2n + 1n : one.amount
      move(account, token, amount)
      delivered.set(back!, { token, to: account, amount, place: `${back}:0` })
      arriving.push(() => found(token, amount, back!))
      return
    }
    const token = one.fate === 'DELIVERED' ? targetTokenAddress : otherToken
    move(recipients, token, one.amount)
    delivered.set(hashOf(0xd000 + n), { token, to: targetAddress, amount: one.amount, place: `out:${n}` })
  }

  const route = { provider: 'fake', kind: 'BRIDGE', reference: null, quotedAt: 0, call: { target: bridge } } as Route
  const fail = (code: ErrorCode) => {
    throw new RoutingError(code)
  }
  const lanes = recordsInMemory<Lane>()
  const deliveries = recordsOf<DeliveryClaim>('deliveries')
  const ports = { executions, chains, now, pollMs: () => blockMs }
  const confirm = confirmDelivery({ ...ports, aggregators: [aggregator], deliveries } as never)
  const submit: Step = async ({ id, facts, deposit }) => {
    const { routeId, amountIn, protocolFee } = facts.order!
    const hash = hashOf(0xa000 + sent.size)
    const spentRaw = BigInt(amountIn)
    const amount = spentRaw - BigInt(protocolFee)
    clock.block += 1
    move(account, deposit.token, -spentRaw)
    move(bridge, deposit.token, amount)
    used.set(routeId, { hash, block: clock.block, spentRaw })
    await land(hash, { id, fate: fatesOf.get(id)!, token: deposit.token, amount }, facts.intent!)
    const transactions = [{ hash, nonce: sent.size, sender: 'key', at: clock.at - 2 * blockMs }]
    return { type: 'transaction submitted', facts: { transactions } }
  }
  const steps: Steps = notingSuperseded(
    {
      matchIntent: async ({ id, facts }) => {
        fatesOf.set(id, fateOf(clock.attempts++))
        const routeId = facts.routeId ?? hashOf(0xe000 + executions.all().findIndex((one) => one.id === id))
        return { type: 'intent matched', facts: { intent: facts.intent ?? intent, routeId } }
      },
      screenDeposit: async ({ id }) =>
        fatesOf.get(id) === 'TOKEN_BLACKLISTED' ? fail('TOKEN_BLACKLISTED') : { type: 'deposit screened' },
      takeLane: takeLane({ ...ports, lanes } as never),
      verifyBalance: verifyBalance({
        ...ports,
        executions,
        blacklist: { isListed: () => false },
        scannedTo: async () => clock.block,
      }),
      findRoute: async ({ id }) => {
        const code = stops[fatesOf.get(id)!]
        return code ? fail(code) : { type: 'route found', facts: { route } }
      },
      priceFees: async ({ id, facts: { balance } }) => {
        const totalReceivedRaw = balance!.totalReceivedRaw
        const fee = BigInt(totalReceivedRaw) / 10n
        const left = fatesOf.get(id) === 'FEES' ? '-1' : String(BigInt(totalReceivedRaw) - fee)
        const protocolFee = { protocolFeeRaw: String(fee), protocolFeeEffective: String(fee), protocolFeeForgiven: '0' }
        const gas = { gasFeeRaw: '0', gasFeeSkipReason: 'NONE' } as const
        return {
          type: 'fees priced',
          facts: {
            fees: { totalReceivedRaw, ...protocolFee, ...gas, amountForSwapRaw: left },
            route: { ...route, amountIn: left },
          },
        }
      },
      signOrder: async ({ facts: { fees, routeId } }) => {
        const { totalReceivedRaw: amountIn, protocolFeeEffective: protocolFee } = fees!
        const deadline = Math.floor(clock.at / 1_000) + 60
        const minOut = { ...order.intent, minOut: '1' }
        const signed = { ...order, routeId: routeId!, amountIn, protocolFee, deadline, intent: minOut, target: bridge }
        return { type: 'order signed', facts: { order: signed } }
      },
      submitOrder: submit,
      confirmDelivery: confirm,
    },
    ports,
  )
  const surroundings = {
    executions,
    steps,
    now,
    random: () => 1,
    onBug: (_: Execution, error: unknown) => bugs.push(error),
  }
  const bugs: unknown[] = []

  /** Runs all due work. With `waitMs`, also runs work that becomes due within that time. */
  async function settle(waitMs: number): Promise<void> {
    const until = clock.at + waitMs
    for (let n = 0; n < 80; n++) {
      const [due] = await executions.due(until, -1, 1)
      if (!due) break
      clock.at = Math.max(clock.at, due.dueAt)
      clock.block += 1
      await lastValueFrom(advance(due.id, true, surroundings), { defaultValue: null })
      for (const arrive of arriving.splice(0)) await arrive()
    }
    clock.at = Math.max(clock.at, until)
  }

  const stored = { load: async () => ({ ...intent, refundAddress: addressOf(0x9f), seal: undefined }) }
  const verbs = {
    executions,
    chains,
    now,
    intents: stored,
    machineVersion: '1',
    newId: () => 'id',
    blacklist: { isListed: () => false },
    auditLog: { append: async () => {} },
    wakes: { wakeNow: async () => {} },
  } as unknown as OperationPorts

  async function act(made: Move): Promise<void> {
    if (made.what === 'deposit') {
      const token = tokens[made.token]!
      move(account, token, BigInt(made.amount))
      await found(token, BigInt(made.amount), hashOf(++clock.arrivals))
    } else if (made.what !== 'wait') {
      const all = executions.all()
      const { id } = all[made.which % Math.max(1, all.length)] ?? {}
      if (!id) return
      const doing = {
        redrive: () => redrive(verbs)(id, 'CURRENT', asked as never),
        refund: () => redrive(verbs)(id, 'REFUND', asked as never),
        'dead-letter': () => deadLetter(verbs)(id, asked as never),
        retry: () => retryNow(verbs)(id, asked as never),
      }[made.what]
      await doing().catch((error) => {
        if (!(error instanceof OperationRefused)) throw error
      })
    }
    await settle(made.what === 'wait' ? 3 * 3_600_000 : 1_000)
    // A provider must report another token for a minute. Meanwhile, a retry may lead to the next such delivery.
    const isDoubted = ({ id, state }: Execution) => state === 'RUNNING' && fatesOf.get(id) === 'OTHER_TOKEN'
    while (executions.all().some(isDoubted)) {
      clock.at += 60_000
      await settle(1_000)
    }
  }

  const claimed = (holder: Holder, token: Address) =>
    sumOf(
      executions
        .all()
        .map(holdingOf)
        .filter((one) => one.holder === holder && one.token === token)
        .map(({ amountRaw }) => BigInt(amountRaw)),
    )
  return { act, executions, has, claimed, bugs }
}
