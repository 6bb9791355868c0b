import { chainOf } from '../../domain/chain/chain'
import { ProviderStandsStill, RouteRefused } from '../../domain/unavailable'
import type { RouteRequest } from '../../ports/aggregator'
import type { Chains, CircleStanding } from '../../ports/chain-client'
import { isBurnable } from './cctp'
import type { WatchedAggregator } from './circuit-breaker'

/** Circle pauses rarely and not for seconds, and where its contracts do not answer, a node may be wrong. */
const pausedLookMs = 30_000
const unreadLookMs = 5_000

type Reader = Pick<Chains[RouteRequest['fromChainId']], 'circleStanding'>

/**
 * CCTP where Circle's contracts on both chains would burn and mint. What is burnt for a recipient whom Circle's USDC
 * refuses is minted only when it lets them in again, so such a burn is not offered, and not signed. That may end a
 * deposit, so a chain with several nodes is believed only when two say it. The chains are asked outside the circuit of
 * Circle's API, which is not to blame for a node.
 */
export function withCircleStanding(cctp: WatchedAggregator, chains: Chains): WatchedAggregator {
  const standings = (
    { fromChainId, account, toChainId, recipient }: RouteRequest,
    readerOf: (chainId: RouteRequest['fromChainId']) => Reader,
  ) =>
    Promise.all([readerOf(fromChainId).circleStanding(account), readerOf(toChainId).circleStanding(recipient)]).catch(
      (cause) => {
        throw new ProviderStandsStill(cctp.name, unreadLookMs, 'Circle’s contracts cannot be read now.', { cause })
      },
    )

  async function assureRefused(request: RouteRequest): Promise<void> {
    const [from, to] = await standings(request, (id) => chains[id].second ?? chains[id])
    if (from === null || to === null || refusalOf(request, from, to) === null)
      throw new ProviderStandsStill(cctp.name, unreadLookMs, 'Nodes differ on whether Circle would carry it.')
  }

  async function assureCarried(request: RouteRequest): Promise<void> {
    if (!isBurnable(request)) return
    const [from, to] = await standings(request, (id) => chains[id])
    if (from === null || to === null)
      throw new ProviderStandsStill(cctp.name, pausedLookMs, 'Circle’s contracts do not answer, or are others.')
    const why = refusalOf(request, from, to)
    if (why !== null) {
      await assureRefused(request)
      throw new RouteRefused(why)
    }
    if (!from.isPaused && !to.isPaused) return
    const { name } = chainOf(from.isPaused ? request.fromChainId : request.toChainId)
    throw new ProviderStandsStill(cctp.name, pausedLookMs, `Circle has paused its USDC or CCTP on ${name}.`)
  }

  return {
    ...cctp,
    assureCarried,
    async quote(request, signal) {
      await assureCarried(request)
      return cctp.quote(request, signal)
    },
  }
}

/** Why Circle would not carry this money there, however long one waits; null when it would. */
function refusalOf(request: RouteRequest, from: CircleStanding, to: CircleStanding): string | null {
  if (to.isBlacklisted) return 'Circle’s USDC refuses the recipient, so that nothing could be minted.'
  if (from.isBlacklisted || from.isDenylisted) return 'Circle does not let the deposit account burn.'
  return request.amountIn > from.burnLimitRaw ? 'It is more than Circle burns at once.' : null
}
