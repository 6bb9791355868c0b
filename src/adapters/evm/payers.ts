import type { Address } from '../../domain/chain/hex'
import { sumOf } from '../../domain/money/amount'
import type { Paid } from '../../ports/chain-client'
import { blockTrace, callTraces, type Payment } from './payments'
import { receiptOf } from './receipts'
import { asAddress, asAmount, asList, asObject, toQuantity } from './rpc/answers'
import { refusalIn } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

/** A missing tracing method is tried again after this time, because the node or its plan may have changed. */
const untracedMs = 10 * 60_000
/** A transaction without input and with no more gas than this ran no contract, so it paid nobody else. */
const plainGas = 21_000n

const tracers = [
  { method: 'debug_traceBlockByNumber', rest: [{ tracer: 'callTracer' }], read: callTraces },
  { method: 'trace_block', rest: [], read: blockTrace },
]

/**
 * Finds who paid native coin to an account in one block: the senders of transactions to it, and of the payments by
 * contracts when the node can trace the block. When no node can, every party of a transaction that ran a contract may
 * be behind a payment.
 */
export function payers(ask: Ask) {
  const untracedSince = new Map<string, number>()

  return async (account: Address, block: number, amountRaw: bigint, isLastTry: boolean): Promise<Paid> => {
    const full = asObject(await ask('eth_getBlockByNumber', [toQuantity(block), true]))
    const transactions = asList(full['transactions']).map(asObject)
    const toIt = transactions.filter(({ to, value }) => same(to, account) && asAmount(value) > 0n)
    const receipts = await Promise.all(toIt.map(({ hash }) => receiptOf(ask, hash as never)))
    const direct = toIt.filter((_, n) => receipts[n]?.succeeded)
    if (sumOf(direct.map(({ value }) => asAmount(value))) === amountRaw)
      return { payers: unique(direct.map(({ from }) => asAddress(from))), behind: [], isCertain: true }

    const traced = await traceOf(account, block, isLastTry)
    const [payers, behind] = traced
      ? [traced.map(({ from }) => from), traced.flatMap(({ path }) => path)]
      : [direct.map(({ from }) => asAddress(from)), transactions.flatMap(partiesOf)]
    const withdrawn = asList(full['withdrawals'] ?? []).some((each) => same(asObject(each)['address'], account))
    const isCertain = traced !== null && (withdrawn || sumOf(traced.map((each) => each.amountRaw)) >= amountRaw)
    return { payers: unique(payers), behind: unique(behind), isCertain }
  }

  /**
   * Null when no node can trace.
   *
   * @throws the failure of a node that may succeed the next time, unless this is the last try.
   */
  async function traceOf(account: Address, block: number, isLastTry: boolean): Promise<Payment[] | null> {
    for (const { method, rest, read } of tracers) {
      if ((untracedSince.get(method) ?? Number.NEGATIVE_INFINITY) + untracedMs > performance.now()) continue
      try {
        return read(await ask(method, [toQuantity(block), ...rest]), account)
      } catch (error) {
        const refusal = refusalIn(error)
        if (!refusal && !isLastTry) throw error
        const isUnknown = refusal && (refusal.code === -32601 || /method/i.test(refusal.message))
        if (isUnknown) untracedSince.set(method, performance.now())
      }
    }
    return null
  }
}

function partiesOf({ from, to, gas, input }: Record<string, unknown>): Address[] {
  if (asAmount(gas) <= plainGas && (input === '0x' || input === undefined)) return []
  return [asAddress(from), ...(to ? [asAddress(to)] : [])]
}

const unique = (addresses: Address[]): Address[] => [...new Set(addresses)]
const same = (one: unknown, other: Address): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
