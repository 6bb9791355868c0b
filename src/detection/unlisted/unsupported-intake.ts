import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import {
  lastBlockOf,
  othersAfter,
  type Routed,
  type Unsupported,
  type UnsupportedTransfer,
  unsupportedIdOf,
  unsupportedOf,
  withCounted,
  withPointed,
  withTokens,
} from '../../domain/deposit/unsupported'
import type { Detector } from '../../domain/execution/execution'
import { rewrite } from '../../domain/rewrite'
import type { Transfer } from '../../ports/chain-client'
import type { UnsupportedDeposits } from '../../ports/detection'
import type { Holder } from '../intake/address-map'
import type { PricedTokens } from './priced-tokens'

type Ports = { unsupported: UnsupportedDeposits; priced: PricedTokens; now: () => number }
/** All transfers of unlisted tokens that a range of blocks brought to one account. */
export type Brought = { account: Holder; transfers: readonly Transfer[] }
/** A record as it begins, and the transfers that it has to count. */
type Of = { fresh: Unsupported; of: readonly Transfer[] }
type Sorted = { account: Holder; own: Of[]; rest: Transfer[] }

const writesAtOnce = 64

export type UnsupportedIntake = ReturnType<typeof unsupportedIntake>

/** Records transfers of unlisted tokens, with as few writes as there are accounts and tokens. */
export function unsupportedIntake(ports: Ports) {
  const { unsupported, priced, now } = ports

  return {
    /**
     * Notes a transfer that something pointed at; the scan will count it. When it would begin one record too many, it
     * is left to the scan.
     */
    async pointed(chainId: ChainId, transfer: Transfer, account: Holder, detector: Detector, isWanted = false) {
      const fresh = unsupportedOf(laneOf(account, chainId, transfer.token), false, now())
      const isKnown = (await unsupported.load(fresh.id)) !== null
      if (!isKnown && !isWanted && (await roomOf(ports, account.id, chainId)) === 0) return
      await change(ports, fresh.id, (before) => {
        const pointed = withPointed(before ?? fresh, shortened(transfer))
        return pointed && seenBy(pointed, detector)
      })
    },

    /**
     * Counts all transfers up to a block, as the scan read them. Accounts and tokens that are not among them received
     * nothing.
     */
    async counted(chainId: ChainId, brought: readonly Brought[], to: number): Promise<void> {
      await priced.ask(
        chainId,
        brought.flatMap(({ transfers }) => transfers.map(({ token }) => token)),
      )
      const all = await inParallel(brought, writesAtOnce, (one) => sorted(ports, chainId, one))
      const own = all.flatMap((each) => each.own)
      const routed = await unsupported.routedOf(own.map(({ fresh }) => fresh))
      await inParallel(own.entries(), writesAtOnce, ([n, of]) => countToken(ports, of, routed[n]!, to))
      await inParallel(all, writesAtOnce, (one) => countOthers(ports, chainId, one, to))
    },

    /** Begins a record of its own for a token of a shared record, because somebody wants it routed. */
    async apart(others: Unsupported, token: Address): Promise<void> {
      const { organizationId, userId, account, chainId } = others
      const fresh = unsupportedOf({ organizationId, userId, account, chainId, token }, false, now())
      await change(ports, fresh.id, (before) => (before ? null : fresh))
    },

    change: (id: string, next: Next): Promise<void> => change(ports, id, next),
  }
}

/** Returns the changed record, or null to leave it as it is. */
type Next = (before: Unsupported | null) => Unsupported | null

async function change({ unsupported, now }: Ports, id: string, next: Next): Promise<void> {
  await rewrite(unsupported, id, (before) => {
    const changed = next(before)
    return changed && { ...changed, updatedAt: now() }
  })
}

/** Returns how many tokens of an account and chain may still get a record of their own. */
const roomOf = async ({ unsupported }: Ports, account: Address, chainId: ChainId): Promise<number> =>
  Math.max(0, othersAfter - (await unsupported.countOf(account, chainId, othersAfter)))

/** Splits the transfers of one account into those whose token has or gets a record of its own, and the rest. */
async function sorted(ports: Ports, chainId: ChainId, { account, transfers }: Brought): Promise<Sorted> {
  const { unsupported, now } = ports
  const tokens = [...Map.groupBy(transfers, ({ token }) => token)]
  const known = await Promise.all(
    tokens.map(([token]) => unsupported.load(unsupportedIdOf(chainId, account.id, token))),
  )
  let room = known.includes(null) ? await roomOf(ports, account.id, chainId) : 0
  const own: Of[] = []
  const rest: Transfer[] = []
  for (const [n, [token, of]] of tokens.entries())
    if (known[n] || room-- > 0) own.push({ fresh: unsupportedOf(laneOf(account, chainId, token), false, now()), of })
    else rest.push(...of)
  return { account, own, rest }
}

async function countToken(ports: Ports, { fresh, of }: Of, { sweptTo }: Routed, to: number): Promise<void> {
  const { priced, now } = ports
  const isPriced = priced.known(fresh.chainId, fresh.token)
  await change(ports, fresh.id, (before) => {
    const record = before ?? fresh
    if (record.countedTo >= to) return null
    const counted = seenBy(withCounted(record, of.map(shortened), to, sweptTo), 'SCANNER')
    return isPriced === false || lastBlockOf(counted) < 0 ? counted : { ...counted, judgeAt: counted.judgeAt ?? now() }
  })
}

async function countOthers(ports: Ports, chainId: ChainId, { account, rest }: Sorted, to: number): Promise<void> {
  if (rest.length === 0) return
  const { token } = rest.reduce((last, one) => (one.block >= last.block ? one : last))
  const fresh = unsupportedOf(laneOf(account, chainId, token), true, ports.now())
  await change(ports, fresh.id, (before) => {
    const record = before ?? fresh
    if (record.countedTo >= to) return null
    const counted = withCounted({ ...record, token }, rest.map(shortened), to, -1)
    const tokens = rest.map((each) => each.token)
    return seenBy(withTokens(counted, tokens), 'SCANNER')
  })
}

const laneOf = ({ id: account, organizationId, userId }: Holder, chainId: ChainId, token: Address) => ({
  organizationId,
  userId,
  account,
  chainId,
  token,
})

const shortened = ({ txHash, logIndex, block, from, amountRaw }: Transfer): UnsupportedTransfer => ({
  txHash,
  logIndex,
  block,
  fromAddress: from,
  amountRaw: String(amountRaw),
})

const seenBy = (record: Unsupported, detector: Detector): Unsupported =>
  record.detectedBy.includes(detector) ? record : { ...record, detectedBy: [...record.detectedBy, detector] }
