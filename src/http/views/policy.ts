import { type } from '../../domain/schema'
import { Count, Flag } from './scalar'

/** The limits that a route has to keep (interface 2.7; decision 41). */
export const PolicyView = type({
  slippageBps: Count('Most slippage, in basis points', 50),
  minOutputBps: Count('Least guaranteed output as a share of what goes in, in basis points', 9700),
  maxDurationSeconds: Count('Longest expected duration, in seconds', 1800),
  maxHops: Count('Most steps of a route', 3),
  requiresSponsoredGas: Flag('Whether only sponsored gas will do', false),
})
