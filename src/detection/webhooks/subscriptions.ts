import { merge, type Observable, Subject, type Subscription } from 'rxjs'
import { type ChainId, chainIds, chainKeyOf, chainOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Budgets } from '../../ports/limits'
import type { Notify, NotifyWebhook, SigningKeys } from '../../ports/notify'
import { beat } from '../beat'
import { packedAddresses } from '../intake/packed-addresses'

/** Every deposit address that there is. */
export type AddressBook = {
  refresh(): Promise<void>
  slice(from: number, to: number): Address[]
  readonly joined: Observable<Address[]>
}

type SubscriptionPorts = {
  notify: Notify
  /** Where our webhook is reached from outside; each chain's bears its network, so that it is known again. */
  webhookUrl: string
  /** Whose turn it is to make a webhook: of all processes that find it missing, one makes it. */
  budgets: Budgets
  now: () => number
  onTrouble: (work: string, error: unknown) => void
  /** A paused webhook was switched on again: what happened meanwhile is never sent. */
  onPaused?: (chainId: ChainId) => void
}

/** What one request carries; the limit of the API is not documented. */
const batchMax = 500
/** Of one webhook. Beyond it another one is made. */
const addressesMax = 100_000
const beatMs = 1_000
const reconcileMs = 3_600_000
const keysMs = 60_000
const keysAgainMs = 10_000
const pageMax = 5_000
/** Whoever has the turn and dies keeps it for so long. */
const turnMs = 600_000

type Shard = { id: string; size: number }
type Chain = { shards: Shard[]; missing: Address[]; reconciledAt: number | null }

/**
 * The Address Activity webhooks at Alchemy: one per chain and 100,000 addresses, made when they are missing, switched
 * on when they are paused, and every deposit address in them. All of it may fail: detection does not depend on it.
 */
export function subscriptions({ notify, webhookUrl, budgets, now, onTrouble, onPaused }: SubscriptionPorts) {
  const states = new Map<ChainId, Chain>()
  const rings = new Subject<void>()
  const stopped = new Subject<void>()
  let signingKeys: SigningKeys = {}
  let keysReadAt: number | null = null
  let subscription: Subscription | null = null

  const urlOf = (chainId: ChainId): string => {
    const url = new URL(webhookUrl)
    url.searchParams.set('network', chainOf(chainId).alchemyNetwork)
    return String(url)
  }
  const isOf = (chainId: ChainId, { url, chainId: of }: NotifyWebhook): boolean =>
    url === urlOf(chainId) || (url === webhookUrl && of === chainId)

  /** Each webhook has a key of its own; they are told whenever webhooks are listed. */
  function learn(webhooks: readonly NotifyWebhook[]): void {
    keysReadAt = now()
    signingKeys = Object.fromEntries(
      chainIds.map((id) => [id, webhooks.filter((webhook) => isOf(id, webhook)).map(({ signingKey }) => signingKey)]),
    )
  }

  /** Not more often than that, whatever the reason: anybody can send a wrong signature. */
  async function learnKeys(leastMs = keysMs): Promise<void> {
    if (keysReadAt !== null && keysReadAt + leastMs > now()) return
    keysReadAt = now()
    learn(await notify.webhooks())
  }

  /** Compares what is registered with what should be. Addresses that are not ours are left: accounts are for ever. */
  async function reconcile(chainId: ChainId, book: AddressBook): Promise<void> {
    await book.refresh()
    const webhooks = await notify.webhooks()
    learn(webhooks)
    const ours = webhooks.filter((webhook) => isOf(chainId, webhook)).sort((a, b) => a.createdAt - b.createdAt)
    const registered = packedAddresses()
    const shards: Shard[] = []
    for (const { id, isActive } of ours) {
      if (!isActive) {
        await notify.activate(id)
        onPaused?.(chainId)
      }
      const shard = { id, size: 0 }
      for await (const page of notify.addresses(id)) for (const each of page) if (registered.add(each)) shard.size++
      shards.push(shard)
    }
    const state = stateOf(chainId)
    state.shards = shards
    state.missing = []
    for (let from = 0; ; from += pageMax) {
      const page = book.slice(from, from + pageMax)
      state.missing.push(...page.filter((address) => !registered.has(address)))
      if (page.length < pageMax) break
    }
    state.reconciledAt = now()
  }

  async function register(chainId: ChainId): Promise<void> {
    const state = stateOf(chainId)
    while (state.missing.length > 0) {
      const open = state.shards.find(({ size }) => size < addressesMax)
      const batch = state.missing.slice(0, Math.min(batchMax, addressesMax - (open?.size ?? 0)))
      if (!open) return make(chainId, batch)
      await notify.add(open.id, batch)
      open.size += batch.length
      state.missing.splice(0, batch.length)
    }
  }

  /** One of all processes makes it, after it has seen that nobody has; all read it then like any other. */
  async function make(chainId: ChainId, batch: Address[]): Promise<void> {
    const state = stateOf(chainId)
    state.reconciledAt = null
    const turn = `alchemy-webhook:${chainId}:${Math.floor(now() / turnMs)}`
    if (!(await budgets.take(turn, 1, now() + 2 * turnMs))) return
    try {
      const webhooks = await notify.webhooks()
      if (webhooks.filter((webhook) => isOf(chainId, webhook)).length > state.shards.length) return
      learn([...webhooks, await notify.create(chainId, urlOf(chainId), batch)])
      state.missing.splice(0, batch.length)
    } finally {
      await budgets.giveBack(turn)
    }
  }

  const stateOf = (chainId: ChainId): Chain => {
    const known = states.get(chainId)
    if (known) return known
    const fresh: Chain = { shards: [], missing: [], reconciledAt: null }
    states.set(chainId, fresh)
    return fresh
  }

  async function tend(chainId: ChainId, book: AddressBook): Promise<void> {
    for (let round = 0; round < 3; round++) {
      const { reconciledAt } = stateOf(chainId)
      if (reconciledAt === null || reconciledAt + reconcileMs <= now()) await reconcile(chainId, book)
      await register(chainId)
      if (stateOf(chainId).reconciledAt !== null) return
    }
  }

  const always = (work: string, everyMs: number, run: () => Promise<unknown>, rung: Observable<unknown>) =>
    beat({
      everyMs,
      rings: rung,
      stopped,
      work: run,
      onTrouble: (error) => onTrouble(work, error),
      onRecovered: () => {},
    })

  return {
    /** Reads the keys again and again; with a book also keeps the webhooks: one process is enough, more do no harm. */
    start(book: AddressBook | null): void {
      const keys = always('webhook keys', keysMs, () => learnKeys(0), new Subject())
      const chains = book
        ? chainIds.map((id) => always(`webhooks of ${chainKeyOf(id)}`, beatMs, () => tend(id, book), rings))
        : []
      subscription = merge(keys, ...chains).subscribe()
      subscription.add(
        book?.joined.subscribe((addresses) => {
          for (const id of chainIds) stateOf(id).missing.push(...addresses)
          rings.next()
        }),
      )
    },
    stop(): void {
      stopped.next()
      subscription?.unsubscribe()
    },
    signingKeys: (): SigningKeys => signingKeys,
    /** Somebody signed with a key that is not known here: perhaps a webhook that was made a moment ago. */
    learnSoon(): void {
      learnKeys(keysAgainMs).catch((error) => onTrouble('webhook keys', error))
    },
  }
}
