import type { Address, Hash } from '../../domain/chain/hex'
import { asAddress, asAmount, asList, asObject } from './rpc/answers'

/**
 * A payment of native coin by one call. `path` is the sender of the transaction and the contracts between. `hash` is
 * the transaction, or null if the node does not name it.
 */
export type Payment = { from: Address; to: Address; amountRaw: bigint; path: Address[]; hash: Hash | null }

/** Calls that move native coin. The other kinds carry the value of another call. */
export const movingCalls = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']

/** Returns the payments in a block, as geth's `callTracer` shows them. Failed calls are left out. */
export function callTraces(answer: unknown): Payment[] {
  return asList(answer).flatMap((each) => {
    const { result, txHash } = asObject(each)
    return result ? callTrace(result, hashOrNull(txHash)) : []
  })
}

/** Returns the payments in one transaction, as the same tracer shows it. */
export function callTrace(frame: unknown, hash: Hash | null, path: Address[] = []): Payment[] {
  const { type, from, to, value, error, calls } = asObject(frame)
  if (error) return []
  const isPayment = movingCalls.includes(String(type)) && typeof to === 'string' && !same(from, to as Address)
  const amountRaw = isPayment ? asAmount(value ?? '0x0') : 0n
  const own = amountRaw > 0n ? [{ from: asAddress(from), to: asAddress(to), amountRaw, path, hash }] : []
  const below = [...path, asAddress(from), ...(to ? [asAddress(to)] : [])]
  return [...own, ...asList(calls ?? []).flatMap((inner) => callTrace(inner, hash, below))]
}

type Step = { from: unknown; to: unknown; value: unknown; at: number[]; transaction: unknown; failed: boolean }

/**
 * Returns the payments in a block or a transaction, as the flat traces of `trace_block` and `trace_transaction` show
 * them.
 */
export function flatTraces(answer: unknown): Payment[] {
  const steps = asList(answer).map(asObject).flatMap(stepOf)
  const ofTransaction = Map.groupBy(steps, ({ transaction }) => transaction)
  return [...ofTransaction.values()].flatMap((all) =>
    all.flatMap(({ from, to, value, at, transaction }) => {
      if (typeof to !== 'string' || same(from, to as Address) || asAmount(value) === 0n) return []
      const above = all.filter((other) => isAbove(other.at, at))
      if ([...above, ...all.filter((other) => other.at === at)].some(({ failed }) => failed)) return []
      const path = above.flatMap((each) => [each.from, each.to].filter(Boolean).map(asAddress))
      const payment = { from: asAddress(from), to: asAddress(to), amountRaw: asAmount(value) }
      return [{ ...payment, path, hash: hashOrNull(transaction) }]
    }),
  )
}

function stepOf({ type, action, result, error, traceAddress, transactionHash }: Record<string, unknown>): Step[] {
  if (typeof transactionHash !== 'string') return [] // the block reward
  const { from, to, value, callType, address, refundAddress, balance } = asObject(action)
  const place = { at: asList(traceAddress ?? []).map(Number), transaction: transactionHash, failed: Boolean(error) }
  if (type === 'suicide') return [{ from: address, to: refundAddress, value: balance, ...place }]
  if (type === 'create') return [{ from, to: result && asObject(result)['address'], value: value ?? '0x0', ...place }]
  const isMoving = callType === undefined || callType === 'call'
  return [{ from, to, value: isMoving ? (value ?? '0x0') : '0x0', ...place }]
}

const isAbove = (one: number[], other: number[]): boolean =>
  one.length < other.length && one.every((n, depth) => other[depth] === n)
const hashOrNull = (value: unknown): Hash | null =>
  typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value) ? (value.toLowerCase() as Hash) : null
const same = (one: unknown, other: Address): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
