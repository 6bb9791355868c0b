import { ConsecutiveBreaker } from 'cockatiel'
import { chainOf } from '../../../domain/chain/chain'
import { RoutingError } from '../../../domain/error'
import type { ChainClient } from '../../../ports/chain-client'
import { Resting } from '../../../ports/unavailable'
import { breakerOf } from '../../aggregators/breaker'
import { refusalIn } from './error'

const restMs = 5_000
const failuresInARow = 2
/** So long after a rest the node is not trusted to be well: one that answers every other question never would be. */
const ailingMs = 10 * 60_000
const breakersMax = 1_000

/** Bytes are refused for their own sake, and offered again anyway. */
const isWatched = (name: string): boolean => name !== 'send'

/**
 * What the node alone has to answer. In the rest a deposit's own token, recipient or call is run: one that no node can
 * run must not hold up the others. Of a token's own answer each token is asked by itself.
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

/** The node's own trouble. What the chain says of one order is an answer. */
function isTrouble(name: string, error: unknown): boolean {
  if (!(error instanceof RoutingError) || !error.code.startsWith('RPC_')) return false
  return !(name === 'estimate' && error.code === 'RPC_FAILED' && refusalIn(error))
}

/**
 * A chain for whoever can wait: a node that fails again and again is left alone, and what needs it waits, which is no
 * retry. Each question has its own breaker: a node may know its head and not its state.
 *
 * @param onRest a node is left alone from now on, or still.
 */
export function patientChain(chain: ChainClient, onRest: (what: string, error: unknown) => void): ChainClient {
  const { name: chainName } = chainOf(chain.chainId)

  function patient<Port extends object>(port: Port, who: string): Port {
    const breakers = new Map<string, ReturnType<typeof breakerOf>>()
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
      if (breakers.size >= breakersMax) breakers.clear()
      const made = breakerOf({
        breaker: new ConsecutiveBreaker(failuresInARow),
        restMs,
        isTrouble: (error) => isTrouble(name, error),
        resting: (cause) => resting(name, cause),
      })
      breakers.set(id, made)
      return made
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
