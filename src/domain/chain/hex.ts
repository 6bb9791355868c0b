export type Hex = `0x${string}`
/** Hash of a transaction, block or route: 32 bytes, lower case. */
export type Hash = Hex
/** EVM address, checksummed. */
export type Address = Hex

export const zeroAddress: Address = `0x${'0'.repeat(40)}`

export const sameAddress = (one: Address, other: Address): boolean => one.toLowerCase() === other.toLowerCase()

/** Whether an address holds EIP-7702 code: a plain key that lets other code act for it. */
export const isDelegation = (code: Hex): boolean => /^0xef0100/i.test(code)
