import { BoundedMap } from '../../domain/bounded-map'
import { sameAddress } from '../../domain/chain/hex'
import { lastBlockOf, type Unsupported, type UnsupportedTransfer, withCounted } from '../../domain/deposit/unsupported'
import type { ChainClient } from '../../ports/chain-client'
import type { UnsupportedDeposits } from '../../ports/detection'
import type { BalanceSweep } from '../sweeps/sweep-balances'
import type { PricedTokens } from './priced-tokens'
import type { UnsupportedIntake } from './unsupported-intake'

type Ports = {
  chain: ChainClient
  unsupported: UnsupportedDeposits
  intake: Pick<UnsupportedIntake, 'change'>
  priced: PricedTokens
  sweep: BalanceSweep['sweep']
  now: () => number
  onTrouble: (error: unknown) => void
}

const [dueMax, missingMax, triedMax] = [50, 20, 10_000]
/**
 * The delay before the first look and the longest one, until it is measured. Each delay is longer than the one before.
 */
const [soonMs, latestMs] = [15_000, 60 * 60_000]
/** The delay while providers cannot be asked, or are being asked about other tokens. */
const laterMs = 10 * 60_000

/** How often each record was measured in vain, which decides when it is measured again. */
type Tending = Ports & { tries: BoundedMap<string, number> }

/**
 * Handles the records that are due: asks whether a provider prices the token by now, and measures the balance once the
 * block of a wanted transfer is deep enough. What is measured becomes a deposit that the balance sweep found. It gets
 * the same id whoever measures it.
 */
export function tendUnsupported(ports: Ports) {
  const { chain, unsupported, priced, now } = ports
  const { chainId } = chain
  const tending: Tending = { ...ports, tries: new BoundedMap<string, number>(triedMax) }

  return {
    /** Stores that somebody wants what has arrived so far routed, and measures it at once when asked to. */
    async want(id: string, isMeasured: boolean): Promise<string[]> {
      await put(tending, id, (record) => ({
        wantedTo: Math.max(record.wantedTo ?? 0, lastBlockOf(record)),
        dueAt: now(),
      }))
      const wanted = isMeasured ? await unsupported.load(id) : null
      return wanted?.wantedTo == null ? [] : measure(tending, wanted, true)
    },

    async tend(): Promise<void> {
      const unjudged = await unsupported.unjudged(chainId, now(), dueMax)
      const asked = await priced.ask(
        chainId,
        unjudged.map(({ token }) => token),
      )
      for (const record of unjudged) await judge(tending, record, asked.includes(record.token))
      for (const record of await unsupported.due(chainId, now(), dueMax)) await measure(tending, record)
    },

    /** @param to The block up to which every account was asked about. */
    async settlePointed(to: number): Promise<void> {
      for (const record of await unsupported.pointedAt(chainId, to, missingMax)) await settle(tending, record, to)
    },
  }
}

/** @param changes What changes in the record; null for nothing. */
const put = ({ intake }: Tending, id: string, changes: (record: Unsupported) => Partial<Unsupported> | null) =>
  intake.change(id, (record) => {
    const changed = record && changes(record)
    return changed ? { ...record, ...changed } : null
  })

/** A token about which no provider was asked yet stays as it is until its turn comes. */
async function judge(tending: Tending, { id, token }: Unsupported, wasAsked: boolean): Promise<void> {
  const { chain, priced, now } = tending
  const isPriced = priced.known(chain.chainId, token)
  if (isPriced === null && !wasAsked) return
  await put(tending, id, (record) => {
    if (isPriced === null) return { judgeAt: now() + laterMs }
    return isPriced ? { judgeAt: null, wantedTo: lastBlockOf(record), dueAt: now() } : { judgeAt: null }
  })
}

/**
 * Measures the balance of one token. A failure with one token does not affect the others.
 *
 * @param isAsked Somebody has just asked for it. Asking often must not make later looks rarer.
 * @returns The ids of the deposits that were found.
 */
async function measure(tending: Tending, record: Unsupported, isAsked = false): Promise<string[]> {
  const { sweep, tries, now, onTrouble } = tending
  const { id, account, token, wantedTo } = record
  const { found, again, block } = await sweep(token, [account]).catch((error) => {
    onTrouble(error)
    return { found: [], again: [account], block: -1 }
  })
  const isDone = again.length === 0 && block >= wantedTo!
  const tried = isAsked ? 1 : (tries.get(id) ?? 0) + 1
  if (isDone) tries.delete(id)
  else tries.set(id, tried)
  await put(tending, id, (record) => {
    const isMore = record.wantedTo !== null && record.wantedTo > wantedTo!
    if (isDone && !isMore) return { wantedTo: null, dueAt: null }
    return { dueAt: now() + Math.min(latestMs, soonMs * 2 ** Math.min(tried - 1, 10)) }
  })
  return found
}

/**
 * Settles transfers that something pointed at and the scan did not find. The chain is asked once more before they count
 * as gone.
 */
async function settle(tending: Tending, record: Unsupported, to: number): Promise<void> {
  const { chain, unsupported } = tending
  const open = record.newest.filter(({ block }) => block > record.countedTo && block <= to)
  const there = await Promise.all(open.map((one) => isThere(chain, record, one)))
  const fresh = open.filter((_, n) => there[n])
  const [routed] = await unsupported.routedOf([record])
  const settled = (at: Unsupported) => withCounted(at, fresh, to, routed!.sweptTo)
  await put(tending, record.id, (at) => (at.version === record.version ? settled(at) : null))
}

async function isThere(chain: ChainClient, { account, token }: Unsupported, one: UnsupportedTransfer) {
  const { txHash, logIndex, block } = one
  const seen = await chain.transaction(txHash)
  return (
    seen?.succeeded === true &&
    seen.block === block &&
    seen.transfers.some(
      (one) => one.logIndex === logIndex && sameAddress(one.to, account) && sameAddress(one.token, token),
    )
  )
}
