import { concatHex, pad } from 'viem'
import type { Address, Hex } from '../../src/domain/chain/hex'

/**
 * A contract that sends on the coin that it is sent: to the first address of its input, with the rest of the input.
 * Its constructor; then it copies all but the first word, calls with its value, and stops.
 */
export const coinForwarder: Hex = concatHex([
  '0x601a600c600039601a6000f3',
  '0x6020360360206000376000600060203603600034600035',
  '0x5af100',
])
export const forwardedTo = (...to: Address[]): Hex => concatHex(to.map((address) => pad(address)))
