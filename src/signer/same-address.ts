import type { Address } from '../domain/chain/hex'

export const sameAddress = (one: Address, other: Address): boolean => one.toLowerCase() === other.toLowerCase()
