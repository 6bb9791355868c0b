import { decodeFunctionData, encodeFunctionData, pad, parseAbi, size } from 'viem/utils'
import { type ChainId, chainOf, network } from '../../domain/chain/chain'
import type { Address, Hash, Hex } from '../../domain/chain/hex'

/**
 * Circle's contracts of CCTP v2 have one address on all five chains of a network. Source: developers.circle.com, "CCTP,
 * Contract Addresses".
 */
export const tokenMessenger: Address =
  network === 'testnet' ? '0x8FE6B999Dc680CcFDD5Bf7EB0974218be2542DAA' : '0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d'
export const messageTransmitter: Address =
  network === 'testnet' ? '0xE737e5cEBEEBa77EFE34D4aa090756590b1CE275' : '0x81D40F21F12A8F0E3252Bccb954D722d4c464B64'

export const tokenMinter: Address =
  network === 'testnet' ? '0xb43db544E2c27092c107639Ad201b3dEfAbcF192' : '0xfd78EE919681417d192449715b2594ab58f5D002'

/** Circle's number of a chain, the same on the test network. */
export const domainOf = (chainId: ChainId): number => chainOf(chainId).cctpDomain

/** The finality for Circle's attestation of a burn: soon, for a fee, or once it is final. */
export const finality = { fast: 1_000, standard: 2_000 } as const

/**
 * Whether Circle attests burns on a chain before they are final. It does not on chains with finality within seconds.
 */
export const leavesFast = (chainId: ChainId): boolean => chainOf(chainId).cctpFast

/** Source: circlefin/evm-cctp-contracts at 4061786, src/v2/TokenMessengerV2.sol. */
export const tokenMessengerAbi = parseAbi([
  'function depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold)',
  'event DepositForBurn(address indexed burnToken, uint256 amount, address indexed depositor, bytes32 mintRecipient, uint32 destinationDomain, bytes32 destinationTokenMessenger, bytes32 destinationCaller, uint256 maxFee, uint32 indexed minFinalityThreshold, bytes hookData)',
  'event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)',
])

/** Source: circlefin/evm-cctp-contracts at 4061786, src/v2/MessageTransmitterV2.sol and BaseMessageTransmitter.sol. */
export const messageTransmitterAbi = parseAbi([
  'function receiveMessage(bytes message, bytes attestation) returns (bool success)',
  'function usedNonces(bytes32 nonce) view returns (uint256)',
  'event MessageSent(bytes message)',
  'event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)',
])

/** The arguments of `depositForBurn`. */
export type Burn = {
  amount: bigint
  destinationDomain: number
  /** The recipient of the mint, as a word of 32 bytes. */
  mintRecipient: Hash
  burnToken: Address
  /** The only address that may mint it; zero for any. */
  destinationCaller: Hash
  /** Largest fee that Circle may keep of the amount. */
  maxFee: bigint
  minFinalityThreshold: number
}

/** An address as the 32-byte word that CCTP uses. */
export const wordOf = (address: Address): Hash => pad(address.toLowerCase() as Address, { size: 32 })

export const depositForBurn = (burn: Burn): Hex =>
  encodeFunctionData({
    abi: tokenMessengerAbi,
    functionName: 'depositForBurn',
    args: [
      burn.amount,
      burn.destinationDomain,
      burn.mintRecipient,
      burn.burnToken,
      burn.destinationCaller,
      burn.maxFee,
      burn.minFinalityThreshold,
    ],
  })

const callBytes = 4 + 7 * 32

/** Reads a call of `depositForBurn`. Returns null for another function, and for any other encoding of this one. */
export function readDepositForBurn(data: Hex): Burn | null {
  if (size(data) !== callBytes) return null
  try {
    const { args } = decodeFunctionData({ abi: tokenMessengerAbi, data })
    const [amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold] = args
    const burn = {
      amount,
      destinationDomain,
      mintRecipient,
      burnToken,
      destinationCaller,
      maxFee,
      minFinalityThreshold,
    }
    return depositForBurn(burn) === data.toLowerCase() ? burn : null
  } catch {
    return null
  }
}
