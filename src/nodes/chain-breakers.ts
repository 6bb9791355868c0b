import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  type IBreaker,
} from 'cockatiel'
import { refusalIn } from '../adapters/evm/rpc/error'
import { BoundedMap } from '../domain/bounded-map'
import { chainOf } from '../domain/chain/chain'
import { RoutingError } from '../domain/error'
import { NotSeconded, TemporarilyUnavailable } from '../domain/unavailable'
import type { ChainClient } from '../ports/chain-client'
import type { NodeFailures } from './node-failures'

const openMs = 5_000
/** Retry delay of a failed call while the node's breaker is closed, in milliseconds. */
const againMs = 2_000
const failuresInARow = 2
const breakersMax = 1_000

/** A transaction is refused for its own sake and is sent again anyway. */
const isWatched = (name: string): boolean => name !== 'send'

/**
 * Calls with a breaker. The other calls run a deposit's recipient, call or transaction, and one that no node can run
 * must not hold up other deposits. Calls that a token answers have a breaker for each token.
 */
const shared: Record<string, (args: unknown[]) => unknown> = {
  head: () => '',
  confirmed: () => '',
  confirmedNumber: () => '',
  blockAt: () => '',
  minedNonces: () => '',
  fee: () => '',
  nativeBalance: () => '',
  receipt: () => '',
  isDeployed: () => '',
  canRecover: () => '',
  hasTransaction: () => '',
  assureChain: () => '',
  balanceOf: ([token]) => token,
  tokenMetadata: ([token]) => token,
}

const isRpcFailure = (error: unknown): error is RoutingError =>
  error instanceof RoutingError && error.code.startsWith('RPC_')

/** Whether the node's rate limit is used up, which no call is at fault for, even if the node answers others. */
const isRateLimit = (error: unknown): boolean => isRpcFailure(error) && error.code === 'RPC_RATE_LIMITED'

/** Whether an error is the node's own fault. The chain's answer to one order is not. */
function isFailure(name: string, error: unknown): boolean {
  return isRpcFailure(error) && !(name === 'estimate' && error.code === 'RPC_FAILED' && refusalIn(error))
}

/**
 * A chain for callers that can wait. A node that keeps failing gets no calls for a while, and its callers wait, which
 * does not count as a retry. Each method has its own breaker, because a node may have its head and not its state. Each
 * process has its own breakers, because it may have its own nodes and network. Processes share only the fact that a
 * node fails. If the node answers the calls that all deposits need, a call without a breaker keeps its own error: the
 * platform can pay gas without an estimate, and a trial that no node can run holds an order up for minutes only. A
 * second node only confirms what another node reports.
 *
 * @param onFailure Called when a call fails.
 */
export function chainWithBreakers(
  chain: ChainClient,
  onFailure: (what: string, error: unknown) => void,
  failures: NodeFailures,
): ChainClient {
  const { name: chainName } = chainOf(chain.chainId)

  /** @param isSecond Whether it only confirms another node's answers. Then every failure makes its caller wait. */
  function withBreakers<Port extends object>(port: Port, who: string, isSecond = false): Port {
    const breakers = new BoundedMap<string, ReturnType<typeof processCircuit>>(breakersMax)

    function circuitOpen(name: string, cause?: unknown, retryInMs = openMs): TemporarilyUnavailable {
      if (cause !== undefined) onFailure(`${who}, ${name}`, cause)
      if (isSecond) return new NotSeconded(chain.chainId, retryInMs, { cause })
      return new TemporarilyUnavailable(who, retryInMs, 'NODE', { cause })
    }

    function breakerFor(name: string, args: unknown[]) {
      const id = `${name}:${shared[name]!(args)}`
      const existing = breakers.get(id)
      if (existing) return existing
      const breaker = processCircuit({
        breaker: new ConsecutiveBreaker(failuresInARow),
        openMs,
        isFailure: (error) => isFailure(name, error),
        circuitOpen: (cause) => circuitOpen(name, cause),
      })
      breakers.set(id, breaker)
      return breaker
    }

    /** Whether the node also fails the call that all deposits need: the head. */
    const failsNow = async (): Promise<boolean> => {
      const { head } = port as { head?: () => Promise<unknown> }
      if (!head) return true
      return breakerFor('head', [])
        .call(() => head())
        .then(() => false)
        .catch(() => true)
    }

    /** Whether the failure is attributed to the node without doubt. */
    async function isNodes(name: string, met: unknown): Promise<boolean> {
      if (!(name in shared)) return isRateLimit(met) || (await failures.isUnhealthy(who)) || (await failsNow())
      await failures.note(who)
      return true
    }

    const members = Object.entries(port).map(([name, member]) => {
      if (typeof member !== 'function' || !isWatched(name)) return [name, member]
      const ask = async (...args: unknown[]) => {
        try {
          if (!(name in shared)) return await member(...args)
          return await breakerFor(name, args).call(() => member(...args))
        } catch (error) {
          const met = error instanceof TemporarilyUnavailable ? error.cause : error
          const isFault = isSecond ? isRpcFailure(met) : isFailure(name, met)
          if (isFault && (isSecond || (await isNodes(name, met))))
            throw error === met ? circuitOpen(name, met, againMs) : error
          if (isRpcFailure(met)) onFailure(`${who}, ${name}`, met)
          throw error
        }
      }
      return [name, ask]
    })
    return Object.fromEntries(members)
  }

  const { second, ...first } = chain
  return {
    ...withBreakers(first, chainName),
    second: second ? withBreakers(second, `${chainName}, second node`, true) : null,
  }
}

type Settings = {
  breaker: IBreaker
  openMs: number
  /** Whether an error counts as a failure. A refusal counts as an answer. */
  isFailure: (error: unknown) => boolean
  /** @param cause The failure that opened the breaker. Undefined if no request was made. */
  circuitOpen: (cause?: unknown) => TemporarilyUnavailable
}

/**
 * Stops calling a dependency that fails repeatedly, then makes one request to see whether it has recovered. Until then
 * every caller waits, including the caller whose probe failed.
 */
function processCircuit({ breaker, openMs, isFailure, circuitOpen }: Settings) {
  const policy = circuitBreaker(handleWhen(isFailure), { halfOpenAfter: openMs, breaker })
  return {
    state: (): CircuitState => policy.state,
    async call<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      try {
        return await policy.execute(ask)
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw circuitOpen()
        throw isFailure(error) && policy.state === CircuitState.Open ? circuitOpen(error) : error
      }
    },
  }
}
