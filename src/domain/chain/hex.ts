export type Hex = `0x${string}`
/** The hash of a transaction, block or route: 32 bytes, lower case. */
export type Hash = Hex
/** An EVM address, checksummed. */
export type Address = Hex

export const zeroAddress: Address = `0x${'0'.repeat(40)}`

export const sameAddress = (one: Address, other: Address): boolean => one.toLowerCase() === other.toLowerCase()

/** Whether the code at an address is what EIP-7702 writes there: a plain key that lets other code act for it. */
export const isDelegation = (code: Hex): boolean => /^0xef0100/i.test(code)
