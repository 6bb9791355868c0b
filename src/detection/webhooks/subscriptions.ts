import { merge, type Observable, Subject, type Subscription } from 'rxjs'
import { type ChainId, chainIds, chainKeyOf, chainOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Notify, NotifyWebhook, SigningKeys } from '../../ports/detection'
import type { LimitCounters } from '../../ports/limits'
import { packedAddresses } from '../intake/address-map'
import { pollRepeatedly, withoutIdle } from '../pace'

/** Every deposit address. */
export type AddressBook = {
  refresh(): Promise<void>
  slice(from: number, to: number): Address[]
  readonly joined: Observable<Address[]>
}

type SubscriptionPorts = {
  notify: Notify
  /** The public URL of our webhook. The URL for each chain also names its network, which identifies it. */
  webhookUrl: string
  /** Decides which process creates a webhook, if several find it missing. */
  limitCounters: LimitCounters
  now: () => number
  onTrouble: (work: string, error: unknown) => void
  /** A paused webhook was switched on again. Events during the pause are never sent. */
  onPaused?: ((chainId: ChainId) => void) | undefined
}

/** Number of addresses in one request. The API's limit is not documented. */
const batchMax = 500
/** Number of addresses in one webhook. Beyond that, a further webhook is created. */
const addressesMax = 100_000
const tickMs = 1_000
const reconcileMs = 3_600_000
const keysMs = 60_000
const keysAgainMs = 10_000
const pageMax = 5_000
/** How long the permit of a dead process lasts. */
const turnMs = 600_000

type Shard = { id: string; size: number }
type Chain = { shards: Shard[]; missing: Address[]; reconciledAt: number | null }

/** Recognises our webhooks among all webhooks of the account at Alchemy. */
type OwnWebhooks = {
  urlOf: (chainId: ChainId) => string
  isOf: (chainId: ChainId, webhook: NotifyWebhook) => boolean
}
/** The shared parts of the upkeep, with the state of each chain's webhooks. */
type Upkeep = Pick<SubscriptionPorts, 'notify' | 'limitCounters' | 'now' | 'onPaused'> & {
  own: OwnWebhooks
  keys: Keys
  stateOf: (chainId: ChainId) => Chain
}

/**
 * Maintains the Address Activity webhooks at Alchemy: one per chain and 100,000 addresses, created when missing,
 * switched on when paused, and together containing every deposit address. Detection does not depend on them, so all of
 * this may fail.
 */
export function webhookSubscriptions(ports: SubscriptionPorts) {
  const triggers = new Subject<void>()
  const stopped = new Subject<void>()
  const own = ownWebhooks(ports.webhookUrl)
  const keys = signingKeysOf(own, ports)
  const stateOf = chainStates()
  const { notify, limitCounters, now, onPaused } = ports
  const upkeep: Upkeep = { notify, limitCounters, now, onPaused, own, keys, stateOf }
  let subscription: Subscription | null = null

  const always = (work: string, everyMs: number, run: () => Promise<unknown>, triggers: Observable<unknown>) =>
    pollRepeatedly({
      everyMs,
      triggers,
      stopped,
      work: withoutIdle(run),
      onTrouble: (error) => ports.onTrouble(work, error),
      onRecovered: () => {},
    })

  return {
    /**
     * Reads the signing keys at intervals. With an address book, it also maintains the webhooks: one process suffices,
     * and more do no harm.
     */
    start(book: AddressBook | null): void {
      const reading = always('webhook keys', keysMs, () => keys.read(0), new Subject())
      const chains = book
        ? chainIds.map((id) => always(`webhooks of ${chainKeyOf(id)}`, tickMs, () => tend(upkeep, id, book), triggers))
        : []
      subscription = merge(reading, ...chains).subscribe()
      subscription.add(
        book?.joined.subscribe((addresses) => {
          for (const id of chainIds) stateOf(id).missing.push(...addresses)
          triggers.next()
        }),
      )
    },
    stop(): void {
      stopped.next()
      subscription?.unsubscribe()
    },
    signingKeys: keys.current,
    /** Whether a recent check found the webhooks of a chain present, switched on, and complete in their addresses. */
    isComplete(chainId: ChainId): boolean {
      const { reconciledAt, missing } = stateOf(chainId)
      return missing.length === 0 && reconciledAt !== null && reconciledAt + 2 * reconcileMs > ports.now()
    },
    /** Called if a signature's key is not loaded here: the webhook might be new. */
    learnSoon(): void {
      keys.read(keysAgainMs).catch((error) => ports.onTrouble('webhook keys', error))
    },
  }
}

function ownWebhooks(webhookUrl: string): OwnWebhooks {
  const urlOf = (chainId: ChainId): string => {
    const url = new URL(webhookUrl)
    url.searchParams.set('network', chainOf(chainId).alchemyNetwork)
    return String(url)
  }
  return {
    urlOf,
    isOf: (chainId, { url, chainId: of }) => url === urlOf(chainId) || (url === webhookUrl && of === chainId),
  }
}

type Keys = ReturnType<typeof signingKeysOf>

/** Caches the signing keys. Each webhook has its own, and a list of webhooks always contains them. */
function signingKeysOf({ isOf }: OwnWebhooks, { notify, now }: Pick<SubscriptionPorts, 'notify' | 'now'>) {
  let signingKeys: SigningKeys = {}
  let readAt: number | null = null

  function learn(webhooks: readonly NotifyWebhook[]): void {
    readAt = now()
    signingKeys = Object.fromEntries(
      chainIds.map((id) => [id, webhooks.filter((webhook) => isOf(id, webhook)).map(({ signingKey }) => signingKey)]),
    )
  }

  /** Reads the signing keys, at most once in `leastMs`: anyone could cause requests by sending wrong signatures. */
  async function read(leastMs: number): Promise<void> {
    if (readAt !== null && readAt + leastMs > now()) return
    readAt = now()
    learn(await notify.webhooks())
  }

  return { learn, read, current: (): SigningKeys => signingKeys }
}

function chainStates(): (chainId: ChainId) => Chain {
  const states = new Map<ChainId, Chain>()
  return (chainId) => {
    const chain = states.get(chainId)
    if (chain) return chain
    const fresh: Chain = { shards: [], missing: [], reconciledAt: null }
    states.set(chainId, fresh)
    return fresh
  }
}

async function tend(upkeep: Upkeep, chainId: ChainId, book: AddressBook): Promise<void> {
  const { stateOf, now } = upkeep
  for (let round = 0; round < 3; round++) {
    const { reconciledAt } = stateOf(chainId)
    if (reconciledAt === null || reconciledAt + reconcileMs <= now()) await reconcile(upkeep, chainId, book)
    await register(upkeep, chainId)
    if (stateOf(chainId).reconciledAt !== null) return
  }
}

/**
 * Compares the registered addresses with our own. Addresses that are not ours are left in place, because accounts are
 * never deleted.
 */
async function reconcile(upkeep: Upkeep, chainId: ChainId, book: AddressBook): Promise<void> {
  const { notify, own, keys, now } = upkeep
  await book.refresh()
  const webhooks = await notify.webhooks()
  keys.learn(webhooks)
  const ours = webhooks.filter((webhook) => own.isOf(chainId, webhook)).sort((a, b) => a.createdAt - b.createdAt)
  const registered = packedAddresses()
  const shards: Shard[] = []
  for (const { id, isActive } of ours) {
    if (!isActive) {
      await notify.activate(id)
      upkeep.onPaused?.(chainId)
    }
    const shard = { id, size: 0 }
    for await (const page of notify.addresses(id)) for (const each of page) if (registered.add(each)) shard.size++
    shards.push(shard)
  }
  const state = upkeep.stateOf(chainId)
  state.shards = shards
  state.missing = []
  for (let from = 0; ; from += pageMax) {
    const page = book.slice(from, from + pageMax)
    state.missing.push(...page.filter((address) => !registered.has(address)))
    if (page.length < pageMax) break
  }
  state.reconciledAt = now()
}

async function register(upkeep: Upkeep, chainId: ChainId): Promise<void> {
  const state = upkeep.stateOf(chainId)
  while (state.missing.length > 0) {
    const open = state.shards.find(({ size }) => size < addressesMax)
    const batch = state.missing.slice(0, Math.min(batchMax, addressesMax - (open?.size ?? 0)))
    if (!open) return make(upkeep, chainId, batch)
    await upkeep.notify.add(open.id, batch)
    open.size += batch.length
    state.missing.splice(0, batch.length)
  }
}

/**
 * Creates a webhook. One process does so, after checking that none exists yet. The others then read it like any other
 * webhook.
 */
async function make(upkeep: Upkeep, chainId: ChainId, batch: Address[]): Promise<void> {
  const { notify, limitCounters, own, keys, now } = upkeep
  const state = upkeep.stateOf(chainId)
  state.reconciledAt = null
  const turn = `alchemy-webhook:${chainId}:${Math.floor(now() / turnMs)}`
  if (!(await limitCounters.take(turn, 1, now() + 2 * turnMs))) return
  try {
    const webhooks = await notify.webhooks()
    if (webhooks.filter((webhook) => own.isOf(chainId, webhook)).length > state.shards.length) return
    keys.learn([...webhooks, await notify.create(chainId, own.urlOf(chainId), batch)])
    state.missing.splice(0, batch.length)
  } finally {
    await limitCounters.giveBack(turn)
  }
}
