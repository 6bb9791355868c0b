import { type ChainId, chainOf } from './chain'

/** Source and target chain. */
export type ChainPair = { fromChainId: ChainId; toChainId: ChainId }

/** Returns the pair as shown to people: "from Avalanche to Base". */
export const betweenChains = ({ fromChainId, toChainId }: ChainPair): string =>
  `from ${chainOf(fromChainId).name} to ${chainOf(toChainId).name}`

/** Whether the pairs share no chain, so one failing chain cannot explain both failures. */
export const areApart = (one: ChainPair, other: ChainPair): boolean =>
  ![one.fromChainId, one.toChainId].some((id) => id === other.fromChainId || id === other.toChainId)

export const isBetween = (one: ChainPair, other: ChainPair): boolean =>
  one.fromChainId === other.fromChainId && one.toChainId === other.toChainId
