import { type Address, sameAddress, zeroAddress } from '../../domain/chain/hex'
import { isNative, type TokenList } from '../../domain/money/token'
import type { AuditRecord, LaneFacts, Move, RecoveryFact, RouteFact, UnsupportedFact } from '../../ports/audit'
import { balanceKey, type ChainAt, laneBalance } from './chain-at'

type Page = {
  addresses: readonly Address[]
  records: readonly AuditRecord[]
  unsupported: readonly UnsupportedFact[]
}

/** The address that logs native transfers on some chains (EIP-7708). */
const nativeLogEmitter = '0xfffffffffffffffffffffffffffffffffffffffe'

/** Reads the history of a page of accounts on one chain, and sorts it by account and token. */
export async function lanesOf(at: ChainAt, tokens: TokenList, page: Page): Promise<LaneFacts[]> {
  const { history, fromBlock, block, chainId } = at
  const blocks = [page.addresses, fromBlock, block] as const
  const [moves, routes, recoveries] = await Promise.all([
    history.moves(...blocks),
    history.routes(...blocks),
    history.recoveries(...blocks),
  ])
  const isCoin = (token: Address): boolean =>
    token.toLowerCase() === nativeLogEmitter || isNative(tokens.find(chainId, token)?.address ?? token)
  const own = new Map(page.addresses.map((address) => [address.toLowerCase(), address]))
  const lanes = new Map<string, Lane>()
  function lane(account: Address, token: Address): Lane {
    const key = balanceKey(account, token)
    const existing = lanes.get(key) ?? { account, token, moves: [], routes: [], recoveries: [], records: [] }
    lanes.set(key, existing)
    return existing
  }
  for (const move of moves) {
    if (isCoin(move.token)) continue
    for (const party of new Set([move.from.toLowerCase(), move.to.toLowerCase()])) {
      const account = own.get(party)
      if (account) lane(account, move.token).moves.push(move)
    }
  }
  for (const route of routes) lane(route.account, route.token).routes.push(route)
  for (const recovery of recoveries) lane(recovery.account, recovery.token).recoveries.push(recovery)
  for (const record of page.records)
    if (record.chainId === chainId) lane(record.account, record.token).records.push(record)
  for (const key of at.held.keys()) {
    const account = own.get(key.slice(0, key.indexOf(':')))
    if (account) lane(account, key.slice(key.indexOf(':') + 1) as Address)
  }
  const unsupported = page.unsupported.filter((seen) => seen.chainId === chainId)
  return Promise.all([...lanes.values()].map((each) => factsOf(at, tokens, each, unsupported)))
}

type Lane = {
  account: Address
  token: Address
  moves: Move[]
  routes: RouteFact[]
  recoveries: RecoveryFact[]
  records: AuditRecord[]
}

async function factsOf(
  at: ChainAt,
  tokens: TokenList,
  lane: Lane,
  unsupported: readonly UnsupportedFact[],
): Promise<LaneFacts> {
  const { account, records, routes } = lane
  const listed = tokens.find(at.chainId, lane.token)
  const token = listed?.address ?? lane.token
  const isCovered = unsupported.some(
    (seen) => sameAddress(seen.account, account) && (seen.token === null || sameAddress(seen.token, token)),
  )
  return {
    ...lane,
    token,
    chainId: at.chainId,
    isNative: token === zeroAddress,
    heldRaw: await laneBalance(at, account, token, listed !== null, records.length + routes.length > 0),
    isUnsupported: listed === null && isCovered,
    recordedTo: listed ? at.recordedTo.listed : at.recordedTo.others,
  }
}
