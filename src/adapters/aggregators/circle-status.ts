import { chainOf } from '../../domain/chain/chain'
import { ProviderStandsStill, RouteRefused } from '../../domain/unavailable'
import type { Chains, CircleStatus } from '../../ports/chain-client'
import type { RouteRequest } from '../../ports/gate'
import type { Aggregator } from '../../providers/aggregator'
import { isBurnable } from './cctp'

/**
 * Retry interval while Circle is paused or its contracts do not answer, in milliseconds. Circle pauses rarely, and for
 * much longer than seconds. Contracts that do not answer might be the fault of a node.
 */
const pausedRetryMs = 30_000
const unreadRetryMs = 5_000

type Reader = Pick<Chains[RouteRequest['fromChainId']], 'circleStatus'>

/**
 * CCTP, if Circle's contracts on both chains would burn and mint. A burn for a recipient that Circle's USDC refuses is
 * minted only after Circle lifts the refusal, so such a burn is neither offered nor signed. A refusal can end a
 * deposit, so on a chain with several nodes it counts only if two nodes report it. A node's
 * failure proves nothing about Circle's API, so the gate does not count it.
 */
export function withCircleStatus(cctp: Aggregator, chains: Chains): Aggregator {
  const readStatuses = (
    { fromChainId, account, toChainId, recipient }: RouteRequest,
    readerOf: (chainId: RouteRequest['fromChainId']) => Reader,
  ) =>
    Promise.all([readerOf(fromChainId).circleStatus(account), readerOf(toChainId).circleStatus(recipient)]).catch(
      (cause) => {
        throw new ProviderStandsStill(cctp.name, unreadRetryMs, 'Circle’s contracts cannot be read now.', { cause })
      },
    )

  async function assureRefused(request: RouteRequest): Promise<void> {
    const [from, to] = await readStatuses(request, (id) => chains[id].second ?? chains[id])
    if (from === null || to === null || refusalOf(request, from, to) === null)
      throw new ProviderStandsStill(cctp.name, unreadRetryMs, 'Nodes differ on whether Circle accepts this transfer.')
  }

  async function assureCarried(request: RouteRequest): Promise<void> {
    if (!isBurnable(request)) return
    const [from, to] = await readStatuses(request, (id) => chains[id])
    if (from === null || to === null)
      throw new ProviderStandsStill(
        cctp.name,
        pausedRetryMs,
        'Circle’s contracts do not answer, or are not the expected ones.',
      )
    const why = refusalOf(request, from, to)
    if (why !== null) {
      await assureRefused(request)
      throw new RouteRefused(why)
    }
    if (!from.isPaused && !to.isPaused) return
    const { name } = chainOf(from.isPaused ? request.fromChainId : request.toChainId)
    throw new ProviderStandsStill(cctp.name, pausedRetryMs, `Circle has paused its USDC or CCTP on ${name}.`)
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

/** Returns why Circle would refuse this transfer even after a wait, or null if it would accept it. */
function refusalOf(request: RouteRequest, from: CircleStatus, to: CircleStatus): string | null {
  if (to.isBlacklisted) return 'Circle’s USDC refuses the recipient, so nothing could be minted.'
  if (from.isBlacklisted || from.isDenylisted) return 'Circle does not allow the deposit account to burn.'
  return request.amountIn > from.burnLimitRaw ? 'The amount is more than Circle burns in one call.' : null
}
