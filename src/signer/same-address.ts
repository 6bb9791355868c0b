import type { Address } from '../domain/hex'

export const sameAddress = (one: Address, other: Address): boolean => one.toLowerCase() === other.toLowerCase()
