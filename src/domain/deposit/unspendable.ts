import type { Address } from '../chain/hex'
import { coinByConvention, pinnedTokens, type TokenList } from '../money/token'
import { isReservedAddress } from './deposit-intent'

/** Contracts that cannot spend what they receive. `name` completes "The recipient is …". */
export type UnspendableContracts = { name: string; addresses: readonly Address[] }

/** Returns the name of an unspendable address; null for any other address. */
export type Unspendable = (address: Address) => string | null

/**
 * Builds the rule that every API entry uses. It covers the chains' built-in programs, the given contracts, and the
 * tokens of every chain. It is the same on every chain, because a contract of one chain has no key on the others
 * either.
 */
export function unspendable(contracts: readonly UnspendableContracts[], tokens: TokenList): Unspendable {
  const named = new Map(contracts.flatMap(({ name, addresses }) => addresses.map((one) => [one.toLowerCase(), name])))
  named.set(coinByConvention, 'the placeholder address of native coin')
  for (const { address } of [...tokens.all, ...pinnedTokens])
    named.set(address.toLowerCase(), 'the contract of a token')
  return (address) =>
    isReservedAddress(address) ? 'a reserved address without a key' : (named.get(address.toLowerCase()) ?? null)
}
