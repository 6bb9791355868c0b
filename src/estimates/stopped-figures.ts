import type { ChainId } from '../domain/chain/chain'
import type { Token } from '../domain/money/token'
import { type PauseScope, pausedMessages, pauseScopes } from '../domain/tenant/pause-scope'
import type { Pauses } from '../ports/operators'
import type { ChainFigures, FiguresNow } from '../ports/prices'
import type { Blacklist } from '../ports/tenants'

const listedMessage = 'This token is on the security list: deposits of it are not routed.'

type PausedFigures = Pick<ChainFigures, 'acceptsDeposits' | 'delivers' | 'message'>

type Stops = { pauses: Pauses; blacklist: Blacklist; now: () => number }

/**
 * Adds the pauses of operators and the security list to the figures. They appear immediately instead of with the next
 * measurement.
 */
export function withStops(figures: FiguresNow, { pauses, blacklist, now }: Stops): FiguresNow {
  const changed = new Map<PauseScope, { isPaused: boolean; at: number }>()

  function withPause(
    name: PauseScope,
    scopes: PauseScope[],
    measured: ChainFigures,
    pausedFigures: PausedFigures,
  ): ChainFigures {
    const isPaused = pauses.find(scopes) !== null
    const before = changed.get(name)
    if (before ? before.isPaused !== isPaused : isPaused) changed.set(name, { isPaused, at: now() })
    const updatedAt = Math.max(measured.updatedAt, changed.get(name)?.at ?? 0)
    return isPaused ? { ...measured, ...pausedFigures, updatedAt } : { ...measured, updatedAt }
  }

  return async () => {
    const measured = await figures()
    const ofChain = (id: ChainId): ChainFigures => {
      const scope = pauseScopes.chain(id)
      const said = { acceptsDeposits: false, delivers: false, message: pausedMessages.chain }
      return withPause(scope, [pauseScopes.all, scope], measured.ofChain(id), said)
    }
    return {
      ...measured,
      ofChain,
      ofToken: (token: Token) => {
        if (blacklist.isListed('TOKEN', token.chainId, token.address))
          return { ...ofChain(token.chainId), acceptsDeposits: false, delivers: false, message: listedMessage }
        const scope = pauseScopes.token(token.chainId, token.address)
        const message = ofChain(token.chainId).delivers ? pausedMessages.token : pausedMessages.chain
        const said = { acceptsDeposits: false, delivers: false, message }
        return withPause(
          scope,
          [pauseScopes.all, pauseScopes.chain(token.chainId), scope],
          ofChain(token.chainId),
          said,
        )
      },
    }
  }
}
