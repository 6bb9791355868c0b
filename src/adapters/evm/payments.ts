import type { Address } from '../../domain/chain/hex'
import { asAddress, asAmount, asList, asObject } from './rpc/answers'

/** A payment of native coin by one call. `path` is the sender of the transaction and the contracts between. */
export type Payment = { from: Address; amountRaw: bigint; path: Address[] }

/** The calls that move native coin; the other kinds carry the value of another call. */
export const movingCalls = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']

/** The payments to an account in a block, as geth's `callTracer` shows them. A call that failed counts for nothing. */
export function callTraces(answer: unknown, account: Address): Payment[] {
  return asList(answer).flatMap((each) => {
    const { result } = asObject(each)
    return result ? paidIn(result, account, []) : []
  })
}

function paidIn(frame: unknown, account: Address, path: Address[]): Payment[] {
  const { type, from, to, value, error, calls } = asObject(frame)
  if (error) return []
  const isPayment = movingCalls.includes(String(type)) && same(to, account) && !same(from, account)
  const amountRaw = isPayment ? asAmount(value ?? '0x0') : 0n
  const own = amountRaw > 0n ? [{ from: asAddress(from), amountRaw, path }] : []
  const below = [...path, asAddress(from), ...(to ? [asAddress(to)] : [])]
  return [...own, ...asList(calls ?? []).flatMap((inner) => paidIn(inner, account, below))]
}

type Step = { from: unknown; to: unknown; value: unknown; at: number[]; transaction: unknown; failed: boolean }

/** The payments to an account in a block, as the flat traces of `trace_block` show them. */
export function blockTrace(answer: unknown, account: Address): Payment[] {
  const steps = asList(answer).map(asObject).flatMap(stepOf)
  const ofTransaction = Map.groupBy(steps, ({ transaction }) => transaction)
  return [...ofTransaction.values()].flatMap((all) =>
    all.flatMap(({ from, to, value, at }) => {
      if (!same(to, account) || same(from, account) || asAmount(value) === 0n) return []
      const above = all.filter((other) => isAbove(other.at, at))
      if ([...above, ...all.filter((other) => other.at === at)].some(({ failed }) => failed)) return []
      const path = above.flatMap((each) => [each.from, each.to].filter(Boolean).map(asAddress))
      return [{ from: asAddress(from), amountRaw: asAmount(value), path }]
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
const same = (one: unknown, other: Address): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
