import { cctp } from '../../../src/adapters/aggregators/cctp'
import { withCircleStatus } from '../../../src/adapters/aggregators/circle-status'
import type { Hash, Hex } from '../../../src/domain/chain/hex'
import type { Execution } from '../../../src/domain/execution/execution'
import type { Order } from '../../../src/domain/execution/route'
import type { ChainClient, Chains } from '../../../src/ports/chain-client'
import { domainOf, finality, readDepositForBurn, tokenMessenger, wordOf } from '../../../src/protocols/cctp/burn'
import { type BurnMessage, messageOf } from '../../../src/protocols/cctp/message'
import { receiveMessage } from '../../../src/protocols/cctp/mint'
import { gate } from '../../../src/providers/gate'
import { cctpRules } from '../../../src/signer/cctp-burn'
import { routeObjection } from '../../../src/signer/route-rules'
import { addressOf, hashOf } from '../deposits'
import type { Auditor } from './auditor'
import type { Chain, Use } from './chain'
import { type Dice, dice, type Loop, type Process } from './loop'
import { MintChain, type Minted } from './mint-chain'
import { hasTrouble, type Plan } from './plan'

/** A burn as Circle knows it. Times are the world's. */
type Burned = {
  use: Use
  message: BurnMessage
  attestedAt: number
  delayReason: string | null
  /** Until then Circle describes it in a way that no release of the product can read. */
  unreadUntil: number
  /** Blocks of the destination that its first attestation is valid for; null without an end. */
  goodFor: number | null
}

const attestation: Hex = `0x${'11'.repeat(65)}`
const thief = addressOf(0x7e)
const encoder = new TextEncoder()

/** A response with everything that the product reads of one. */
const answerOf = (status: number, text: string): Response =>
  ({ status, ok: status === 200, headers: new Headers(), body: [encoder.encode(text)] }) as unknown as Response
const json = (status: number, body: unknown): Response => answerOf(status, JSON.stringify(body))

/** A call of the destination's contract. */
const callOf = (message: BurnMessage): Hex => receiveMessage(messageOf(message), attestation).toLowerCase() as Hex

/**
 * Circle: its API, and its contracts on both chains. It attests burns late, with a short validity, beside messages of
 * strangers, and in words that the product cannot read.
 */
export class Circle {
  /** The chain where it mints. */
  readonly there: MintChain
  private readonly luck: Dice
  private readonly burns = new Map<Hash, Burned>()
  private readonly calls = new Map<Hex, Minted>()
  private pausedUntil = 0

  constructor(
    private readonly plan: Plan,
    private readonly loop: Loop,
    private readonly source: Chain,
    /** Whether faults have ended. */
    private readonly isCalm: () => boolean,
  ) {
    this.luck = dice(plan.seed + 62)
    const mintedWith = (data: Hex) => this.calls.get(data) ?? null
    this.there = new MintChain(
      dice(plan.seed + 63),
      (sentence) => loop.narrate(sentence),
      mintedWith,
      () => this.isPaused,
    )
  }

  private get isPaused(): boolean {
    return this.loop.time < this.pausedUntil
  }

  private happens = (share: number): boolean =>
    !this.isCalm() && hasTrouble(this.plan, 'circle-errors') && this.luck.chance(share)

  /** Pauses for a while, as happens rarely. */
  pause(): void {
    if (this.isPaused || !this.happens(0.01)) return
    const ms = this.luck.between(10_000, 60_000)
    this.pausedUntil = this.loop.time + ms
    this.loop.narrate(`Circle pauses its contracts for ${Math.round(ms / 1_000)} s`)
  }

  /** What its contracts show on any chain. */
  readonly contracts: Pick<ChainClient, 'circleStatus'> = {
    circleStatus: async () => {
      const { isPaused } = this
      return { isPaused, isBlacklisted: false, isDenylisted: false, burnLimitRaw: 10n ** 13n }
    },
  }

  /** The chain where it mints, which is also the bridge's destination. */
  clientOf(auditor: Auditor, paid: Partial<ChainClient>): object {
    const arrived: MintChain['arrived'] = async (...asked) =>
      (await this.there.arrived(...asked)) ?? paid.arrived!(...asked)
    return Object.assign(auditor.guarding(this.there), { ...this.contracts, arrived })
  }

  /** The provider behind its gate, as a process has it. */
  gateFor(process: Process, chains: Chains, ports: Omit<Parameters<typeof gate>[1], 'read' | 'now'>) {
    const { now } = process
    const fetcher = (url: string, { method = 'GET' }: RequestInit) =>
      process.ask(async () => this.answer(method, new URL(url)), undefined, `circle ${method}`)
    const provider = withCircleStatus(cctp({ url: 'https://circle.test', fetcher }), chains)
    return gate(provider, { ...ports, read: routeObjection(cctpRules(), { now }), now })
  }

  private answer(method: string, { pathname, searchParams }: URL): Response {
    if (this.happens(0.05)) return json(503, { error: 'Service unavailable' })
    const [, , resource, ...rest] = pathname.split('/')
    if (method === 'POST') return this.attestAgain(rest[0] as Hash)
    if (resource === 'burn')
      return json(200, [
        { finalityThreshold: finality.fast, minimumFee: 1 },
        { finalityThreshold: finality.standard, minimumFee: 0 },
      ])
    if (resource === 'fastBurn') return json(200, { allowance: 1_000_000 })
    if (this.happens(0.03)) return answerOf(200, '<html>Bad gateway</html>')
    const burned = this.burnsOf(searchParams.get('transactionHash') as Hash)
    if (burned.length === 0) return json(404, { error: 'Message hash not found' })
    const strangers = burned
      .filter(({ message }) => BigInt(message.nonce) % 3n === 0n)
      .map(({ message }) => strangersOf(message))
    return json(200, {
      messages: [...strangers.map((one) => this.attested(one, null)), ...burned.map((one) => this.said(one))],
    })
  }

  /** The burns of a confirmed transaction. */
  private burnsOf(hash: Hash): Burned[] {
    const uses = [...this.source.standing.used.values()]
    return uses
      .filter((use) => use.hash === hash && use.order.target === tokenMessenger)
      .map((use) => this.burnedBy(use))
  }

  private burnedBy(use: Use): Burned {
    const known = this.burns.get(use.transfer)
    if (known) return known
    const { luck } = this
    const isLate = hasTrouble(this.plan, 'late-attestations') && luck.chance(0.4)
    const isUnread = this.happens(0.3)
    const burned: Burned = {
      use,
      message: messageIn(use),
      attestedAt: this.loop.time + (isLate ? luck.between(30_000, 240_000) : luck.between(0, 8_000)),
      delayReason: isLate && luck.chance(0.5) ? 'insufficient_fee' : null,
      unreadUntil: isUnread ? this.loop.time + luck.between(10_000, 90_000) : 0,
      goodFor: hasTrouble(this.plan, 'late-attestations') && luck.chance(0.4) ? luck.below(4) : null,
    }
    this.burns.set(use.transfer, burned)
    return burned
  }

  private said(burned: Burned): object {
    const { attestedAt, delayReason, unreadUntil } = burned
    if (this.loop.time < unreadUntil) return { status: 'teleported' }
    if (this.loop.time < attestedAt)
      return { status: 'pending_confirmations', message: '0x', attestation: 'PENDING', delayReason }
    return this.attested(this.dated(burned), burned.use.order)
  }

  /** The message of an attested burn. Its validity begins at the first request for it. */
  private dated(burned: Burned): BurnMessage {
    const { goodFor, message } = burned
    if (goodFor !== null && message.expirationBlock === 0n && message.finalityThresholdExecuted === finality.fast)
      burned.message = { ...message, expirationBlock: BigInt(this.there.tip.number + 1 + goodFor) }
    return burned.message
  }

  /** A message that can be minted from now on. */
  private attested(message: BurnMessage, order: Order | null): object {
    const { nonce, amount, feeExecuted, expirationBlock } = message
    const amountRaw = amount - feeExecuted
    this.calls.set(callOf(message), { nonce, amountRaw, expiresAt: Number(expirationBlock), order })
    return { status: 'complete', message: messageOf(message), attestation, delayReason: null }
  }

  /** Attests a burn as final, so its message never expires. */
  private attestAgain(nonce: Hash): Response {
    const burned = this.burns.values().find(({ message }) => message.nonce === nonce)
    if (!burned) return json(404, { error: 'Nonce not found' })
    const { message } = burned
    burned.message = { ...message, expirationBlock: 0n, finalityThresholdExecuted: finality.standard, feeExecuted: 0n }
    burned.attestedAt = this.loop.time + this.luck.between(0, 20_000)
    this.loop.narrate('Circle attests a burn again')
    return json(200, { nonce })
  }

  /** A stranger mints a burn before the relayers do. */
  mintByStranger(): void {
    if (this.isCalm() || !hasTrouble(this.plan, 'others-mints')) return
    const { used } = this.there.tip
    const ready = [...this.burns.values()].filter(
      ({ attestedAt, message }) => attestedAt <= this.loop.time && !used.has(message.nonce),
    )
    if (ready.length === 0 || !this.luck.chance(0.3)) return
    const burned = ready[this.luck.below(ready.length)]!
    this.attested(this.dated(burned), burned.use.order)
    this.loop.narrate('A stranger mints a burn')
    this.there.mintByStranger(burned.use.order, callOf(burned.message))
  }

  /** The rules about burns and mints that the end of a world breaks. */
  faults(executions: readonly Execution[]): string[] {
    const minted = this.there.standing.used
    const left = [...this.source.standing.used.values()].filter(({ order }) => order.target === tokenMessenger)
    const isMinted = (use: Use) => minted.has(nonceOf(use))
    const done = executions.filter(({ state, facts }) => state === 'SUCCESS' && facts.route?.provider === 'cctp')
    const isProved = ({ facts: { delivery, order } }: Execution) =>
      minted
        .values()
        .some(
          (use) =>
            use.hash === delivery!.hash &&
            use.order.data === order!.data &&
            String(use.spentRaw) === delivery!.amountRaw,
        )
    return [
      ...(left.every(isMinted) ? [] : ['a burn is not minted']),
      ...(done.every(isProved) ? [] : ['a delivery is no mint of the record’s burn']),
    ]
  }
}

/** Circle chooses the nonce of a message. Here it follows from the transfer. */
const nonceOf = ({ transfer }: Use): Hash => hashOf(Number(BigInt(transfer)) + 0x2000_0000_0000)

/** The message of a burn, attested before the burn is final. */
function messageIn(use: Use): BurnMessage {
  const { account, data, chainId } = use.order
  const burn = readDepositForBurn(data)!
  const messenger = wordOf(tokenMessenger)
  return {
    version: 1,
    sourceDomain: domainOf(chainId),
    destinationDomain: burn.destinationDomain,
    nonce: nonceOf(use),
    sender: messenger,
    recipient: messenger,
    destinationCaller: burn.destinationCaller,
    minFinalityThreshold: burn.minFinalityThreshold,
    finalityThresholdExecuted: finality.fast,
    bodyVersion: 1,
    burnToken: wordOf(burn.burnToken),
    mintRecipient: burn.mintRecipient,
    amount: burn.amount,
    messageSender: wordOf(account),
    maxFee: burn.maxFee,
    feeExecuted: 1n,
    expirationBlock: 0n,
    hookData: '0x',
  }
}

/** A stranger's burn of the same amount, which a multicall made in the same transaction. */
const strangersOf = (message: BurnMessage): BurnMessage => ({
  ...message,
  nonce: hashOf(Number(BigInt(message.nonce) + 0x1000_0000_0000n)),
  messageSender: wordOf(thief),
  mintRecipient: wordOf(thief),
})
