import { chainIds } from '../../domain/chain/chain'
import {
  betweenChains,
  type ChainPair,
  firstProbeMs,
  onePairOfChains,
  type ProviderCircuit,
  type ProviderRequest,
} from '../../domain/execution/provider-circuit'
import { ProviderFailsBetween, ProviderRateLimited, ProviderUnavailable } from '../../domain/unavailable'
import { type NamedSharing, providerCircuit } from './shared-circuit'

type Between = { pair: ChainPair; circuit: ReturnType<typeof providerCircuit> }
/**
 * A pair of chains for which a provider failed recently. `circuit` is shared by all processes, or this process's own.
 */
export type FailingPair = { pair: ChainPair; circuit: ProviderCircuit }

/**
 * A provider's circuits for each pair of chains, inside the provider's own circuit. A failure between two chains opens
 * only their circuit, and does not count against the provider.
 */
export function chainCircuits(provider: string, sharing: NamedSharing) {
  const all = new Map<string, Between>()
  for (const fromChainId of chainIds)
    for (const toChainId of chainIds) {
      const pair = { fromChainId, toChainId }
      const onChange: NamedSharing['onChange'] = (circuit, isOwn) => sharing.onChange(circuit, isOwn, pair)
      const id = `${provider} from ${fromChainId} to ${toChainId}`
      const circuit = providerCircuit({ provider, id, rule: onePairOfChains }, { ...sharing, onChange })
      all.set(keyOf(pair), { pair, circuit })
    }
  const find = (pair: ChainPair): Between => all.get(keyOf(pair))!

  return {
    /**
     * @throws {ProviderFailsBetween} if the circuit of these two chains is open. Either no request was made, or it
     * failed too.
     */
    async call<Answer>(
      pair: ChainPair,
      request: ProviderRequest,
      isTrouble: (error: unknown) => boolean,
      ask: () => Promise<Answer>,
    ): Promise<Answer> {
      const { circuit } = find(pair)
      try {
        return await circuit.call(request, isTrouble, ask)
      } catch (error) {
        const isResting = error instanceof ProviderUnavailable
        const isAnswer = isResting ? error instanceof ProviderRateLimited : !isTrouble(error)
        if (isAnswer || !circuit.isKnownOpen()) throw error
        const askAgainInMs = isResting ? error.askAgainInMs : firstProbeMs
        throw new ProviderFailsBetween(provider, askAgainInMs, betweenChains(pair))
      }
    },
    /** Records that the provider answered a request that bypassed these circuits. */
    noteAnswer: (pair: ChainPair): Promise<void> => find(pair).circuit.noteAnswer(),
    /** Pairs with a stored failure and no success since. */
    async failing(): Promise<FailingPair[]> {
      const read = async ({ pair, circuit }: Between): Promise<FailingPair> => {
        const [shared, own] = await Promise.all([circuit.read(), circuit.readOwn()])
        return { pair, circuit: shared.reason === null && own.reason !== null ? own : shared }
      }
      const pairs = await Promise.all([...all.values()].map(read))
      return pairs.filter(({ circuit }) => circuit.reason !== null || circuit.failed.length > 0)
    },
  }
}

const keyOf = ({ fromChainId, toChainId }: ChainPair): string => `${fromChainId} ${toChainId}`
