import type { Hex } from 'viem'
import { decodeErrorResult } from 'viem/utils'
import {
  accountRegistryAbi,
  modularAccountAbi,
  recoveryExecutorAbi,
  routeExecutorAbi,
} from '../../../../contracts/artifacts/abi'
import { responsibleFor } from '../../../domain/chain/contract-refusals'
import { type ErrorCode, RoutingError } from '../../../domain/error'
import { RouteStopped } from '../../../domain/unavailable'
import { isAbort } from '../../http'
import { RpcNoAnswer, RpcRefusal } from './json-rpc'
import { type Meaning, meaningOf } from './node-words'

const abi = [...routeExecutorAbi, ...recoveryExecutorAbi, ...accountRegistryAbi, ...modularAccountAbi] as const

/** A revert of a call, decoded if it is an error of one of our contracts. It is passed on as a `cause`. */
export class Reverted extends Error {
  override name = 'Reverted'

  constructor(
    readonly reason: string | null,
    readonly args: readonly unknown[],
    cause: RpcRefusal,
  ) {
    super(reason ?? 'The call reverted without a known reason', { cause })
  }
}

/** Turns any failure of a node into one of our codes. The node's text and URL stay in the cause. */
export function rpcError(error: unknown): RoutingError {
  if (error instanceof RoutingError) return error
  if (isAbort(error)) return new RoutingError('RPC_TIMEOUT', { cause: error })
  if (error instanceof RpcNoAnswer) return new RoutingError(codeOfStatus(error.status), { cause: error })
  if (error instanceof RpcRefusal) {
    const meaning = meaningOf(error)
    return new RoutingError((meaning && codes[meaning]) ?? 'RPC_FAILED', { cause: error })
  }
  return new RoutingError(error instanceof TypeError ? 'RPC_UNREACHABLE' : unreachableOrFailed(error), { cause: error })
}

const codeOfStatus = (status: number | null): ErrorCode => {
  if (status === 429) return 'RPC_RATE_LIMITED'
  return status === 408 || status === 504 ? 'RPC_TIMEOUT' : 'RPC_FAILED'
}

/** Bun reports the failure of a connection as a code: ConnectionRefused, ECONNRESET, FailedToOpenSocket and more. */
const unreachableOrFailed = (error: unknown): ErrorCode =>
  typeof (error as { code?: unknown } | null)?.code === 'string' ? 'RPC_UNREACHABLE' : 'RPC_FAILED'

const codes: Partial<Record<Meaning, ErrorCode>> = { RATE_LIMITED: 'RPC_RATE_LIMITED', TIMED_OUT: 'RPC_TIMEOUT' }

/** Returns the node's refusal if the error is one, otherwise null. */
export const refusalIn = (error: unknown): RpcRefusal | null => {
  if (error instanceof RpcRefusal) return error
  return error instanceof RoutingError && error.cause instanceof RpcRefusal ? error.cause : null
}

/** Returns the meaning of the node's refusal, or null. */
export const meaningIn = (error: unknown): Meaning | null => {
  const refusal = refusalIn(error)
  return refusal && meaningOf(refusal)
}

/** Whether the EVM ran and reverted. Any other error is a fault of the node. */
export const isRevert = (error: unknown): boolean => meaningIn(error) === 'REVERTED'

/** Whether the executor refused an order because the token's cap is zero. */
export function isWithoutCap(error: unknown): boolean {
  const { reason, args } = reverted(error)
  return reason === 'CapReached' && args[1] === 0n
}

/**
 * Returns the error of an estimate that reverted.
 *
 * @param neverHadCap Whether the executor remembers no cap of the token. Such a token cannot be routed at all. An
 * exhausted cap is free again tomorrow, and a removed cap may come back.
 */
export function revertError(error: unknown, neverHadCap = false): RoutingError {
  const cause = reverted(error)
  if (neverHadCap && isWithoutCap(error)) return new RoutingError('TOKEN_NOT_SUPPORTED', { cause })
  const whose = responsibleFor(cause.reason)
  if (whose === 'OURS_FOR_ROUTE') return new RouteStopped({ cause })
  return new RoutingError(whose === 'DEPOSIT' ? 'SIMULATION_REVERTED' : 'UNEXPECTED', { cause })
}

function reverted(error: unknown): Reverted {
  const refusal = refusalIn(error)!
  const { errorName, args } = decoded(bytesIn(refusal))
  return new Reverted(errorName, args ?? [], refusal)
}

/** Returns the bytes of a refusal. Some nodes put words before them, such as "Reverted 0x08c379a0". */
function bytesIn(refusal: RpcRefusal | null): Hex | null {
  const bytes = typeof refusal?.data === 'string' && refusal.data.match(/0x[0-9a-f]+/i)?.[0]
  return bytes ? (bytes as Hex) : null
}

/** Returns the name of the error that one of our contracts reverted with, or null for any other failure. */
export const reasonOf = (error: unknown): string | null => decoded(bytesIn(refusalIn(error))).errorName

/** Returns the message that a contract reverted with, or the node's own. Null for any other failure. */
export function wordsOf(error: unknown): string | null {
  const refusal = refusalIn(error)
  const [words] = decoded(bytesIn(refusal)).args ?? []
  return typeof words === 'string' ? words : (refusal?.message ?? null)
}

/** Returns the name of an error of one of our contracts, from its bytes. */
export const nameOfError = (data: Hex): string | null => decoded(data).errorName

function decoded(data: Hex | null): { errorName: string | null; args?: readonly unknown[] | undefined } {
  try {
    if (data) return decodeErrorResult({ abi, data })
  } catch {
    // The error belongs to another contract.
  }
  return { errorName: null }
}
