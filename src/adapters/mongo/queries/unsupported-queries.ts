import type { Connection } from 'mongoose'
import { getAddress } from 'viem/utils'
import type { Address } from '../../../domain/chain/hex'
import { includesUnsupported } from '../../../domain/deposit/deposit-stage'
import { othersIdIn, type Unsupported } from '../../../domain/deposit/unsupported'
import { unsupportedDepositOf } from '../../../domain/deposit/unsupported-deposit'
import type { DepositFilter, DepositRecord } from '../../../ports/queries'
import type { Page, TenantScope } from '../../../ports/records'
import { routedOn, unsupportedIndex, unsupportedModel } from '../collections/unsupported'
import { type Filter, ofTenant, oneIndex, pagedBy } from '../engine/page'
import { fromStored, type Stored } from '../engine/records'

/** Queries for deposits of unlisted tokens. */
export function unsupportedQueries(connection: Connection) {
  const model = unsupportedModel(connection)
  const rows = pagedBy(model, oneIndex(unsupportedIndex))
  const routedOf = routedOn(connection)

  /**
   * @param token The token of the filter.
   * @param isRouted Whether deposits that are already routed are included.
   */
  async function shown(records: Unsupported[], isRouted: boolean, token?: Address) {
    const wanted = token?.toLowerCase()
    const among = (record: Unsupported) =>
      record.others !== null && wanted && record.others.some((each) => each === wanted) ? token : undefined
    const routed = await routedOf(records)
    const seen = records.map((record, n) => unsupportedDepositOf(record, routed[n]!, among(record)))
    // A deposit that is already routed has its own entry, but its transaction still finds it here.
    const standing = seen.filter(({ count }, n) => count > 0 || records[n]!.others !== null || isRouted)
    return standing.map((sighting): DepositRecord => {
      const { id, detectedAt, stage } = sighting
      return { id, detectedAt, stage, sighting, execution: null, newest: null }
    })
  }

  /**
   * @param paid A filter for the accounts that pay the recipient. Empty if the request does not filter by recipient.
   */
  async function list(filter: DepositFilter, paid: Filter, page: Page): Promise<DepositRecord[]> {
    if (!includesUnsupported(filter)) return []
    const token = filter.fromTokenAddress
    const span = { field: 'detectedAt', from: filter.createdFrom, to: filter.createdTo }
    const stored = await rows.pageOfAny(equalities(filter, paid), span, page)
    const standing = await shown(stored.map(fromStored<Unsupported>), filter.txHash !== undefined, token)
    const last = stored.at(-1)
    if (standing.length === stored.length || stored.length < page.limit || !last) return standing
    const after = { createdAt: last.detectedAt, id: last._id }
    return [...standing, ...(await list(filter, paid, { ...page, limit: page.limit - standing.length, after }))]
  }

  async function find(tenant: TenantScope, id: string): Promise<DepositRecord | null> {
    const whose = ofTenant(tenant)
    const load = (filter: Filter) => model.findOne({ ...filter, ...whose } as never).lean<Stored<Unsupported>>()
    const own = await load({ _id: id })
    if (own) return (await shown([fromStored<Unsupported>(own)], true))[0] ?? null
    const other = othersIdIn(id)
    const shared = other && (await load({ _id: other.othersId, others: other.token }))
    if (!shared) return null
    return (await shown([fromStored<Unsupported>(shared)], true, getAddress(other.token)))[0] ?? null
  }

  return { list, find }
}

/** Searches for a token in its own record, and in the one record that an account's remaining tokens share. */
function equalities(filter: DepositFilter, paid: Filter): Filter[] {
  const token = filter.fromTokenAddress
  const equal: Filter = {
    ...ofTenant(filter),
    userId: filter.userId,
    'newest.txHash': filter.txHash?.toLowerCase(),
    account: filter.depositAddress,
    'newest.fromAddress': filter.fromAddress,
    chainId: filter.fromChainId,
    ...paid,
  }
  if (token === undefined) return [equal]
  return [
    { ...equal, token, others: null },
    { ...equal, others: token.toLowerCase() },
  ]
}
