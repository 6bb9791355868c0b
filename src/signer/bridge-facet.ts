import type { AbiParameter, AbiParameterToPrimitiveType } from 'viem'
import { toFunctionSelector } from 'viem/utils'
import { sameAddress } from '../domain/chain/hex'
import { type BridgeData, bridgeData, swapDataList } from '../protocols/lifi/diamond'
import { type Demand, decodeStrictly, type FunctionRule, type GuardName, limits, unusual } from './function-rule'
import { takingObjection } from './swap-facet'

/** The bridged amount. After fees it is the least amount, because the Diamond reverts when less is left. */
export type Bridged = { amount: bigint; isAfterFee: boolean }

export type BridgeFacet = {
  /** The name in startBridgeTokensVia… */
  name: string
  /** LI.FI's keys of the facet. */
  tools: readonly string[]
  guard: GuardName
  /** How much native coin the bridge may leave over, in wei. */
  nativeDustWei?: bigint
  /** The facet's own argument, which is the last one. */
  data: AbiParameter
  /**
   * What the facet's own data do differently than demanded: a second receiver, the refund, the minimum, a message or
   * the native fee.
   */
  objection(data: never, bridged: Bridged, demand: Demand): string | null
}

/** Keeps the type of a facet's data and of its reader together. */
export const facet = <const Data extends AbiParameter>(
  parts: Omit<BridgeFacet, 'data' | 'objection'> & {
    data: Data
    objection(data: AbiParameterToPrimitiveType<Data>, bridged: Bridged, demand: Demand): string | null
  },
): BridgeFacet => parts as BridgeFacet

/** The rules of both functions of a facet: the plain one, and the one that first lets LI.FI take its fee. */
export function bridgeRules({ name, data: facetData, objection, ...facet }: BridgeFacet): FunctionRule[] {
  const { guard, nativeDustWei = 0n } = facet
  const selectorOf = (functionName: string, inputs: readonly AbiParameter[]) =>
    toFunctionSelector({ type: 'function', name: functionName, inputs, outputs: [], stateMutability: 'payable' })
  const plain = [bridgeData, facetData] as const
  const afterFee = [bridgeData, swapDataList, facetData] as const
  return [
    {
      kind: 'BRIDGE',
      guard,
      nativeDustWei,
      selector: selectorOf(`startBridgeTokensVia${name}`, plain),
      objection(data, demand) {
        const decoded = decodeStrictly(plain, data)
        if (!decoded) return unusual
        const [bridge, own] = decoded
        const bridged = { amount: bridge.minAmount, isAfterFee: false }
        return bridgeObjection(bridge, bridged, demand) ?? objection(own as never, bridged, demand)
      },
    },
    {
      kind: 'BRIDGE',
      guard,
      nativeDustWei,
      selector: selectorOf(`swapAndStartBridgeTokensVia${name}`, afterFee),
      objection(data, demand) {
        const decoded = decodeStrictly(afterFee, data)
        if (!decoded) return unusual
        const [bridge, swaps, own] = decoded
        const bridged = { amount: bridge.minAmount, isAfterFee: true }
        return (
          bridgeObjection(bridge, bridged, demand) ??
          takingObjection(swaps, demand, { feesOnly: true }) ??
          objection(own as never, bridged, demand)
        )
      },
    },
  ]
}

function bridgeObjection(bridge: BridgeData, { amount, isAfterFee }: Bridged, demand: Demand): string | null {
  if (!sameAddress(bridge.sendingAssetId, demand.token)) return 'sends another token'
  if (!sameAddress(bridge.receiver, demand.recipient)) return 'pays another recipient'
  if (bridge.destinationChainId !== BigInt(demand.toChainId)) return 'goes to another chain'
  if (bridge.hasSourceSwaps !== isAfterFee || bridge.hasDestinationCall) return 'swaps or calls on the way'
  if (amount > demand.amount || (!isAfterFee && amount !== demand.amount)) return 'sends another amount'
  // The calls before the bridge and their recipients are not read: whatever they are, they get no more than this share.
  const left = demand.amount * BigInt(10_000 - limits.feeBpsMax)
  return amount * 10_000n < left ? 'takes too high a fee' : null
}

/** Whether a 32-byte word is this address. */
export const isWordOf = (word: string, address: string): boolean =>
  word.toLowerCase() === `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`
