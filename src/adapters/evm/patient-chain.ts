import { ConsecutiveBreaker } from 'cockatiel'
import { chainOf } from '../../domain/chain'
import { RoutingError } from '../../domain/error'
import type { ChainClient } from '../../ports/chain-client'
import { Resting } from '../../ports/resting'
import { breakerOf } from '../breaker'
import { refusalIn } from './error'

const restMs = 5_000
const failuresInARow = 2

/** Sent bytes are refused for their own sake, and offered again anyway. */
const isWatched = (name: string): boolean => name !== 'send'

/** The node's own trouble. What the chain says of one order is an answer. */
const isTroubleOf =
  (name: string) =>
  (error: unknown): boolean => {
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
    const members = Object.entries(port).map(([name, member]) => {
      if (typeof member !== 'function' || !isWatched(name)) return [name, member]
      const resting = (cause?: unknown) => {
        if (cause !== undefined) onRest(`${who}, ${name}`, cause)
        return new Resting(who, restMs, 'BLOCK', { cause })
      }
      const breaker = new ConsecutiveBreaker(failuresInARow)
      const { call } = breakerOf({ breaker, restMs, isTrouble: isTroubleOf(name), resting })
      return [name, (...asked: unknown[]) => call(() => member(...asked))]
    })
    return Object.fromEntries(members)
  }

  const { second, ...first } = chain
  return { ...patient(first, chainName), second: second ? patient(second, `${chainName}, second node`) : null }
}
