import { type Abi, concat, encodeAbiParameters, encodeFunctionData, keccak256, pad } from 'viem'
import { devBridgeAbi } from '../../contracts/artifacts/abi'
import type { ChainId } from '../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import { endpointIdOf } from '../../src/protocols/lifi/diamond'

/** The terms of a call, with fields that a test can falsify. */
export type BridgeTerms = {
  account: Address
  token: Address
  amount: bigint
  toChainId: number
  tokenOut: Address
  recipient: Address
  minOut: bigint
  /** The native fee in the calldata for Stargate. */
  nativeFee?: bigint
  /** Time of the quote, in seconds since 1970. */
  time?: number
  /** Fee taken first, by the function that swaps and then bridges. Without it the plain function is called. */
  fee?: bigint
  bridge?: object
  facet?: object
  swaps?: readonly object[]
}

export const fee = (token: Address, fromAmount: bigint, change: object = {}) => ({
  callTo: zeroAddress,
  approveTo: zeroAddress,
  sendingAssetId: token,
  receivingAssetId: token,
  fromAmount,
  callData: '0x1122334455',
  requiresDeposit: true,
  ...change,
})

const encoded = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: devBridgeAbi as Abi, functionName, args }).toLowerCase() as Hex

function call(name: string, terms: BridgeTerms, facetData: object): Hex {
  const { fee: taken, swaps } = terms
  const bridgeData = {
    transactionId: keccak256('0x02'),
    bridge: 'tool',
    integrator: 'switchyard',
    referrer: zeroAddress,
    sendingAssetId: terms.token,
    receiver: terms.recipient,
    minAmount: terms.amount - (taken ?? 0n),
    destinationChainId: BigInt(terms.toChainId),
    hasSourceSwaps: taken !== undefined,
    hasDestinationCall: false,
    ...terms.bridge,
  }
  const facet = { ...facetData, ...terms.facet }
  const [functionName, args] =
    taken === undefined
      ? [`startBridgeTokensVia${name}`, [bridgeData, facet]]
      : [`swapAndStartBridgeTokensVia${name}`, [bridgeData, swaps ?? [fee(terms.token, terms.amount)], facet]]
  return encoded(functionName as string, args as unknown[])
}

const none = pad('0x')
/** Quote time of the test records, in seconds since 1970. */
export const quoteTime = 1_800_000_000

export function acrossCall(terms: BridgeTerms): Hex {
  const { time = quoteTime } = terms
  const net = terms.amount - (terms.fee ?? 0n)
  return call('AcrossV4', terms, {
    receiverAddress: pad(terms.recipient),
    refundAddress: pad(terms.account),
    sendingAssetId: pad(terms.token),
    receivingAssetId: pad(terms.tokenOut),
    outputAmount: terms.minOut,
    outputAmountMultiplier: net && (terms.minOut * 10n ** 18n + net - 1n) / net,
    exclusiveRelayer: none,
    quoteTimestamp: time - 60,
    fillDeadline: time + 9_300,
    exclusivityParameter: 0,
    message: '0x',
  })
}

export function stargateCall({ facet = {}, ...terms }: BridgeTerms): Hex {
  const { sendParams = {}, ...others } = facet as { sendParams?: object }
  const send = {
    dstEid: endpointIdOf(terms.toChainId as ChainId),
    to: pad(terms.recipient),
    amountLD: terms.amount,
    minAmountLD: terms.minOut,
    extraOptions: '0x',
    composeMsg: '0x',
    oftCmd: '0x',
    ...sendParams,
  }
  const messaging = { nativeFee: terms.nativeFee ?? 0n, lzTokenFee: 0n }
  const own = { assetId: 1, sendParams: send, fee: messaging, refundAddress: terms.account, ...others }
  return call('Stargate', terms, own)
}

export function polymerCall(terms: BridgeTerms): Hex {
  const net = terms.amount - (terms.fee ?? 0n)
  return call('PolymerCCTP', terms, {
    polymerTokenFee: 1n,
    maxCCTPFee: net - 1n - terms.minOut,
    nonEVMReceiver: none,
    solanaReceiverATA: none,
    minFinalityThreshold: 1000,
    refundRecipient: terms.account,
    hookData: '0x',
  })
}

type SwapName = Extract<(typeof devBridgeAbi)[number], { type: 'function'; name: `swapTokens${string}` }>['name']
export type SwapTerms = Pick<BridgeTerms, 'token' | 'amount' | 'tokenOut' | 'recipient' | 'minOut'> & {
  name?: SwapName
  swaps?: readonly object[]
}

/** Calldata of a fee and then an exchange, or of an exchange alone. */
export function swapCall(terms: SwapTerms): Hex {
  const { token, amount, tokenOut, recipient, minOut, name = 'swapTokensMultipleV3ERC20ToERC20' } = terms
  const exchange = {
    receivingAssetId: tokenOut,
    callData: concat(['0x11223344', encodeAbiParameters([{ type: 'uint256' }], [minOut])]),
  }
  const alone = fee(token, amount, exchange)
  const swaps = terms.swaps ?? [fee(token, amount), fee(token, amount, { ...exchange, requiresDeposit: false })]
  const args = [keccak256('0x02'), 'switchyard', '', recipient, minOut, name.includes('Single') ? alone : swaps]
  return encoded(name, args)
}
