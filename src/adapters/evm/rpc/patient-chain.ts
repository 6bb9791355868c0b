import { ConsecutiveBreaker } from 'cockatiel'
import { BoundedMap } from '../../../domain/bounded-map'
import { chainOf } from '../../../domain/chain/chain'
import { RoutingError } from '../../../domain/error'
import type { ChainClient } from '../../../ports/chain-client'
import { Resting } from '../../../ports/unavailable'
import { breakerOf } from '../../aggregators/breaker'
import { refusalIn } from './error'

const restMs = 5_000
const failuresInARow = 2
/**
 * How long after a rest a node still counts as unreliable: one that answers every other call would never open its
 * breaker.
 */
const ailingMs = 10 * 60_000
const breakersMax = 1_000

/** A transaction is refused for its own sake and is sent again anyway. */
const isWatched = (name: string): boolean => name !== 'send'

/**
 * The calls whose failure is the node's own. The other calls run a deposit's token, recipient or call, and one that no
 * node can run must not hold up the others. Calls that a token answers have a breaker for each token.
 */
const shared: Record<string, (asked: unknown[]) => unknown> = {
  head: () => '',
  confirmed: () => '',
  blockAt: () => '',
  minedNonces: () => '',
  fee: () => '',
  nativeBalance: () => '',
  receipt: () => '',
  isDeployed: () => '',
  isKnown: () => '',
  balanceOf: ([token]) => token,
  tokenMetadata: ([token]) => token,
}

/** Whether an error is the node's own fault. The chain's answer to one order is not. */
function isTrouble(name: string, error: unknown): boolean {
  if (!(error instanceof RoutingError) || !error.code.startsWith('RPC_')) return false
  return !(name === 'estimate' && error.code === 'RPC_FAILED' && refusalIn(error))
}

/**
 * A chain for callers that can wait: a node that keeps failing gets no calls for a while, and what needs it waits,
 * which is not a retry. Each method has its own breaker, because a node may know its head and not its state.
 *
 * @param onRest called when a node begins to rest or rests on.
 */
export function patientChain(chain: ChainClient, onRest: (what: string, error: unknown) => void): ChainClient {
  const { name: chainName } = chainOf(chain.chainId)

  function patient<Port extends object>(port: Port, who: string): Port {
    const breakers = new BoundedMap<string, ReturnType<typeof breakerOf>>(breakersMax)
    let ailingUntil = 0

    function resting(name: string, cause?: unknown): Resting {
      if (cause !== undefined) {
        ailingUntil = Date.now() + ailingMs
        onRest(`${who}, ${name}`, cause)
      }
      return new Resting(who, restMs, 'NODE', { cause })
    }

    function breakerFor(name: string, asked: unknown[]) {
      const id = `${name}:${shared[name]!(asked)}`
      const found = breakers.get(id)
      if (found) return found
      const breaker = breakerOf({
        breaker: new ConsecutiveBreaker(failuresInARow),
        restMs,
        isTrouble: (error) => isTrouble(name, error),
        resting: (cause) => resting(name, cause),
      })
      breakers.set(id, breaker)
      return breaker
    }

    const members = Object.entries(port).map(([name, member]) => {
      if (typeof member !== 'function' || !isWatched(name)) return [name, member]
      const ask = async (...asked: unknown[]) => {
        try {
          return await (name in shared ? breakerFor(name, asked).call(() => member(...asked)) : member(...asked))
        } catch (error) {
          throw isTrouble(name, error) && Date.now() < ailingUntil ? resting(name, error) : error
        }
      }
      return [name, ask]
    })
    return Object.fromEntries(members)
  }

  const { second, ...first } = chain
  return { ...patient(first, chainName), second: second ? patient(second, `${chainName}, second node`) : null }
}
