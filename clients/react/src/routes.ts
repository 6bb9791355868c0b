import type { Switchyard } from '@switchyard/client'
import { changesOf } from './changes.js'
import type { CardData } from './contract.js'
import { type Chains, depositsOf } from './deposits-of.js'

export type DepositRoutes = {
  client: Switchyard
  /**
   * Returns the signed-in user of a request, or null. The card gets nothing about any other user. Store the user's
   * deposit intent here or earlier.
   */
  userOf: (request: Request) => string | null | Promise<string | null>
  /** The errors of the service are for you; the page gets only a temporary failure. Default `console.error`. */
  log?: (error: unknown) => void
}

/**
 * Returns a function that answers the card's requests, `…/deposit` and `…/changes` under any path, as the README defines
 * them, and null to others. Call this once per process: it has one stream of events for all pages.
 */
export function depositRoutes({ client, userOf, log = console.error }: DepositRoutes) {
  const changes = changesOf(client, log)
  /** Names and explorers of chains do not change while a process runs. Fetched on first use. */
  let chains: Chains | null = null
  const chainsByKey = async (): Promise<Chains> => {
    chains ??= new Map((await client.listChains()).map((chain) => [chain.chainKey, chain]))
    return chains
  }

  return async (request: Request): Promise<Response | null> => {
    const { pathname, searchParams } = new URL(request.url)
    const route = /\/(deposit|changes)$/.exec(pathname)?.[1]
    if (request.method !== 'GET' || route === undefined) return null
    try {
      const userId = await userOf(request)
      if (userId === null) return new Response(null, { status: 401 })
      if (searchParams.get('userId') !== userId) return new Response(null, { status: 403 })
      if (route === 'changes') return changes(userId)
      return Response.json(await cardData(client, userId, await chainsByKey()), {
        headers: { 'cache-control': 'no-store' },
      })
    } catch (error) {
      log(error)
      return new Response(null, { status: 503, headers: { 'retry-after': '5' } })
    }
  }
}

async function cardData(client: Switchyard, userId: string, chains: Chains): Promise<CardData> {
  const [address, deposits] = await Promise.all([client.getDepositAddress(userId), depositsOf(client, userId, chains)])
  const nameOf = (chainKey: string): string => chains.get(chainKey)?.name ?? chainKey
  const tokens = address.accepts
    .filter(({ acceptsDeposits }) => acceptsDeposits)
    .map(({ fromChainKey, fromTokenSymbol, fromTokenDecimals, minimumAmountIn, paymentUri }) => ({
      chainName: nameOf(fromChainKey),
      symbol: fromTokenSymbol,
      decimals: fromTokenDecimals,
      minimumAmountIn,
      paymentUri,
    }))
  return {
    userId,
    depositAddress: address.depositAddress,
    targetTokenSymbol: address.targetTokenSymbol,
    targetChainName: address.targetChainKey === null ? null : nameOf(address.targetChainKey),
    tokens,
    notices: address.notices,
    deposits,
  }
}
