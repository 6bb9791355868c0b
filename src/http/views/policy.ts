import { view } from '../../domain/schema'
import { Count, Flag } from './scalar'

/** The limits of a route (interface 2.7; decision 41). */
export const PolicyView = view({
  slippageBps: Count('Maximum slippage, in basis points', 50),
  minOutputBps: Count('Minimum guaranteed output as a share of the input, in basis points', 9700),
  maxDurationSeconds: Count('Maximum expected duration, in seconds', 1800),
  maxHops: Count('Maximum steps of a route', 3),
  requiresSponsoredGas: Flag('Whether sponsored gas is required', false),
})
