import type { AbiParameter } from 'viem'
import { type DecodeAbiParametersReturnType, decodeAbiParameters, encodeAbiParameters } from 'viem/utils'
import type { Hex } from '../domain/chain/hex'

/**
 * Decodes the arguments of a call, or returns null when they are not in canonical encoding: a contract might read data
 * in another order or from another place differently.
 */
export function decodeStrictly<const Parameters extends readonly AbiParameter[]>(
  parameters: Parameters,
  data: Hex,
): DecodeAbiParametersReturnType<Parameters> | null {
  const encoded: Hex = `0x${data.slice(10)}`
  const decoded = decodeAbiParameters(parameters as readonly AbiParameter[], encoded)
  if (encodeAbiParameters(parameters as readonly AbiParameter[], decoded) !== encoded) return null
  return decoded as DecodeAbiParametersReturnType<Parameters>
}

export const unusual = 'is encoded in an unusual way'
