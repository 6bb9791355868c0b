import type { Address, Hash } from '../../domain/chain/hex'
import { sumOf } from '../../domain/money/amount'
import type { NativePayers } from '../../ports/chain-client'
import { callTrace, callTraces, flatTraces, type Payment } from './payments'
import { receiptOf } from './receipts'
import { asAddress, asAmount, asHash, asList, asObject, toQuantity } from './rpc/answers'
import { refusalIn } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

/** Time after which a missing tracing method is tried again, in milliseconds. The node or its plan may have changed. */
const untracedMs = 10 * 60_000
/** A transaction without input and with no more gas than this ran no contract, so it paid only its recipient. */
const plainGas = 21_000n

type Tracer = { method: string; rest: readonly unknown[]; read: (answer: unknown) => Payment[] }
const tracer = { tracer: 'callTracer' }
const blockTracers: Tracer[] = [
  { method: 'debug_traceBlockByNumber', rest: [tracer], read: callTraces },
  { method: 'trace_block', rest: [], read: flatTraces },
]
const transactionTracers: Tracer[] = [
  { method: 'debug_traceTransaction', rest: [tracer], read: (answer) => callTrace(answer, null) },
  { method: 'trace_transaction', rest: [], read: flatTraces },
]

/**
 * Finds who paid native coin to an account in one block: the senders of transactions to it, and of payments by
 * contracts if a node can trace the block. If no node can, every party of a transaction that ran a contract might be
 * behind a payment.
 */
export function payers(ask: Ask) {
  const untracedSince = new Map<string, number>()

  async function paidIn(account: Address, block: number, amountRaw: bigint, isLastTry: boolean): Promise<NativePayers> {
    const full = asObject(await ask('eth_getBlockByNumber', [toQuantity(block), true]))
    const transactions = asList(full['transactions']).map(asObject)
    const toIt = transactions.filter(({ to, value }) => same(to, account) && asAmount(value) > 0n)
    const receipts = await Promise.all(toIt.map(({ hash }) => receiptOf(ask, hash as never)))
    const direct = toIt.filter((_, n) => receipts[n]?.succeeded)
    const hashes = direct.map(({ hash }) => asHash(hash))
    if (sumOf(direct.map(({ value }) => asAmount(value))) === amountRaw)
      return { payers: unique(direct.map(({ from }) => asAddress(from))), behind: [], isCertain: true, hashes }

    const all = await traceOf(blockTracers, toQuantity(block), isLastTry)
    const traced = all && all.filter(({ to }) => same(to, account))
    const [payers, behind] = traced
      ? [traced.map(({ from }) => from), traced.flatMap(({ path }) => path)]
      : [direct.map(({ from }) => asAddress(from)), transactions.flatMap(partiesOf)]
    const withdrawn = asList(full['withdrawals'] ?? []).some((each) => same(asObject(each)['address'], account))
    const isCertain = traced !== null && (withdrawn || sumOf(traced.map((each) => each.amountRaw)) >= amountRaw)
    const named = traced ? traced.flatMap(({ hash }) => hash ?? []) : hashes
    return { payers: unique(payers), behind: unique(behind), isCertain, hashes: unique(named) }
  }

  /** Returns whom a transaction paid coin, through any of its calls. Null if no node can trace it. */
  async function nativePaidBy(hash: Hash): Promise<Address[] | null> {
    const traced = await traceOf(transactionTracers, hash, true)
    return traced && unique(traced.map(({ to }) => to))
  }

  /**
   * Returns null if no node can trace.
   *
   * @throws The failure of a node that might succeed the next time, unless this is the last try.
   */
  async function traceOf(tracers: readonly Tracer[], what: string, isLastTry: boolean): Promise<Payment[] | null> {
    for (const { method, rest, read } of tracers) {
      if ((untracedSince.get(method) ?? Number.NEGATIVE_INFINITY) + untracedMs > performance.now()) continue
      try {
        return read(await ask(method, [what, ...rest]))
      } catch (error) {
        const refusal = refusalIn(error)
        if (!refusal && !isLastTry) throw error
        const isUnknown = refusal && (refusal.code === -32601 || /method/i.test(refusal.message))
        if (isUnknown) untracedSince.set(method, performance.now())
      }
    }
    return null
  }

  return { paidIn, nativePaidBy }
}

function partiesOf({ from, to, gas, input }: Record<string, unknown>): Address[] {
  if (asAmount(gas) <= plainGas && (input === '0x' || input === undefined)) return []
  return [asAddress(from), ...(to ? [asAddress(to)] : [])]
}

const unique = <Text extends string>(texts: Text[]): Text[] => [...new Set(texts)]
const same = (one: unknown, other: Address): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
