import { toFunctionSelector } from 'viem/utils'
import { type Address, type Hex, sameAddress } from '../domain/chain/hex'
import {
  domainOf,
  finality,
  readDepositForBurn,
  tokenMessenger,
  tokenMessengerAbi,
  wordOf,
} from '../protocols/cctp/burn'
import { usdcOf } from '../protocols/lifi/diamond'
import { type Demand, type RouteRule, unknownFinality, unusual } from './function-rule'

/**
 * The allowed burns of Circle's USDC. The call contains everything that decides where the money goes: the burned amount
 * is minted to the recipient, less Circle's fee. The minimum output limits that fee.
 */
export const cctpRules = (target: Address = tokenMessenger): RouteRule[] => [
  { kind: 'BRIDGE', target, selector: toFunctionSelector(tokenMessengerAbi[0]), guard: 'CctpBurnGuard', objection },
]

function objection(data: Hex, demand: Demand): string | null {
  const { fromChainId, token, amount, toChainId, tokenOut, recipient, minOut, nativeFee } = demand
  const burn = readDepositForBurn(data)
  if (!burn) return unusual
  if (nativeFee !== 0n) return 'needs no native fee'
  if (!sameAddress(token, usdcOf(fromChainId)) || !sameAddress(burn.burnToken, token)) return 'sends another token'
  if (burn.amount !== amount) return 'sends another amount'
  const isElsewhere = toChainId !== fromChainId
  if (!isElsewhere || burn.destinationDomain !== domainOf(toChainId)) return 'goes to another chain'
  if (!sameAddress(tokenOut, usdcOf(toChainId))) return 'delivers another token'
  if (burn.mintRecipient !== wordOf(recipient)) return 'pays another recipient'
  if (BigInt(burn.destinationCaller) !== 0n) return 'lets only one caller deliver it'
  if (burn.maxFee > amount - minOut) return 'delivers too little'
  const isSupported = Object.values(finality).some((threshold) => threshold === burn.minFinalityThreshold)
  return isSupported ? null : unknownFinality
}
