import type { Hash } from '../../../src/domain/chain/hex'
import type { Order } from '../../../src/domain/execution/route'
import { SignerSilent, TemporarilyUnavailable } from '../../../src/domain/unavailable'
import type { OrderSigner, SigningEntry } from '../../../src/ports/signer'
import { hourlyCaps } from '../../../src/signer/hourly-caps'
import { signedOnce } from '../../../src/signer/signed-once'
import { type Chain, chainSeconds } from './chain'
import type { Loop, Process } from './loop'
import type { SignerCore } from './signing'

/** Hours of the signer are so many times shorter, so shares are used up within a world. */
const shortening = 20
const hourMs = 3_600_000 / shortening
const percent = 5
const dailyCapRaw = 400_000n
export const hourlyCapRaw = (dailyCapRaw * BigInt(percent)) / 100n

type Noted = { at: number; order: Order }
/** What the signer is made of. A planted bug replaces parts of it. */
export type SignerParts = {
  log: Parameters<typeof signedOnce>[1]['log']
  caps: ReturnType<typeof hourlyCaps>
  /** The entries that a start reads. */
  entries: readonly { entry: SigningEntry; at: number }[]
}
type Found = (rule: string) => void

/** The signer as a separate process: its log survives its death, but its memory does not. */
export class CappedSigner {
  private readonly entries: { entry: SigningEntry; at: number }[] = []
  private readonly signed: Noted[] = []
  private running: { sign: ReturnType<typeof signedOnce>['sign']; died: Promise<never>; die: () => void } | null = null

  constructor(
    private readonly loop: Loop,
    private readonly process: Process,
    private readonly chain: Chain,
    private readonly core: SignerCore,
    private readonly found: Found,
  ) {}

  private now = (): number => this.loop.time * shortening

  /** Starts it, or starts it again after its death. */
  start(bug: SignerBug = () => ({})): void {
    this.running?.die()
    const { process, chain } = this
    const caps = hourlyCaps({
      dailyCap: () => process.ask(async () => dailyCapRaw, undefined, 'daily cap'),
      percent,
      organizationPercent: 100,
      now: this.now,
    })
    const last = new Map<Hash, { orderId: Hash; deadline: number }>()
    const log = {
      lastSigned: (_chainId: unknown, routeId: Hash) => last.get(routeId) ?? null,
      append: async (entry: SigningEntry) => {
        this.entries.push({ entry, at: this.now() })
        if (entry.event === 'SIGNED') last.set(entry.routeId, entry)
      },
    }
    const own: SignerParts = { log, caps, entries: this.entries }
    const parts = { ...own, ...bug(own) }
    for (const { entry, at } of parts.entries) {
      if (entry.event !== 'SIGNED') continue
      parts.caps.note(entry, at)
      last.set(entry.routeId, entry)
    }
    const freshHead = () => process.ask(() => chain.head(), undefined, 'head')
    const { sign } = signedOnce(this.core.signing, { ...parts, freshHead, orderSeconds: 150 })
    const { promise: died, reject } = Promise.withResolvers<never>()
    died.catch(() => {})
    this.running = { sign, died, die: () => reject(new SignerSilent(2_000)) }
  }

  /** Its memory and the requests that it had not answered are lost. */
  restart(bug?: SignerBug): void {
    this.process.die()
    this.start(bug)
  }

  readonly signer: OrderSigner = {
    isSeparate: true,
    draft: async () => ({}) as Order,
    sign: (...asked) => {
      const { sign, died } = this.running!
      const { life } = this.loop
      // The requester continues in its own event.
      return new Promise((resolve, reject) => {
        const answered = (order: Order) => {
          this.note(order)
          this.loop.after(0, () => resolve(order), life)
        }
        const failed = (error: unknown) => {
          this.core.noteRefusal(error)
          const isSooner = error instanceof TemporarilyUnavailable && !(error instanceof SignerSilent)
          this.loop.after(0, () => reject(isSooner ? sooner(error) : error), life)
        }
        Promise.race([sign(this.core.requestOf(...asked)), died]).then(answered, failed)
      })
    },
  }

  /** Checks every signature that leaves the signer. */
  private note(order: Order): void {
    const at = this.loop.time
    const rivals = this.signed.filter((one) => one.order.routeId === order.routeId && one.order.id !== order.id)
    if (rivals.some((one) => one.order.deadline >= chainSeconds(at)))
      this.found('the signer signed a second order of a route that may still be executed')
    const isKnown = this.signed.some((one) => one.order.id === order.id)
    if (isKnown) return
    this.signed.push({ at, order })
    const recent = this.signed.filter((one) => one.at > at - hourMs && one.order.token === order.token)
    const largest = new Map<Hash, bigint>()
    for (const { order: one } of recent) {
      const amount = BigInt(one.amountIn)
      if (amount > (largest.get(one.routeId) ?? 0n)) largest.set(one.routeId, amount)
    }
    const sum = [...largest.values()].reduce((all, amount) => all + amount, 0n)
    if (largest.size > 1 && sum > hourlyCapRaw) this.found('the signer signed more in an hour than its cap')
  }
}

/** The same wait, in the time of the workers. */
const sooner = ({ who, retryInMs, waitingFor, cause }: TemporarilyUnavailable): TemporarilyUnavailable =>
  new TemporarilyUnavailable(who, Math.max(1_000, retryInMs / shortening), waitingFor, { cause })

/** The part of a planted bug that changes the signer. */
export type SignerBug = (parts: SignerParts) => Partial<SignerParts>
