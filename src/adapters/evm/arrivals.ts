import { BoundedMap } from '../../domain/bounded-map'
import type { Address, Hash } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { sumOf } from '../../domain/money/amount'
import { isNative } from '../../domain/money/token'
import type { Arrival } from '../../ports/chain-client'
import type { heads } from './heads'
import { type Log, transfersIn } from './logs'
import { movingCalls } from './payments'
import { isBound, type Receipt, receiptOf } from './receipts'
import { asAmount, asList, asObject, toQuantity } from './rpc/answers'
import type { Ask } from './rpc/json-rpc'

const rememberedMax = 1_000

type Part = Arrival['parts'][number]

/**
 * Reads what one transaction transferred to an address. For a token, these are its transfer events. Native coin leaves
 * no event. Its amount comes from a trace of the transaction if the node can trace. Otherwise it is the change of the
 * recipient's balance in the block, less what the block's other transactions sent. Without a trace, two payments by
 * contracts to one recipient in the same block cannot be separated, and each then shows their sum.
 *
 * A receipt that was read before its block was confirmed is not read again afterwards. The hash of the block at that
 * depth, read with the block that confirms it, shows whether the receipt still holds. The receipt is then forgotten, so
 * a wrong receipt is not trusted twice. No request is made until the block should be confirmed.
 */
export function arrivals(ask: Ask, { confirmedAt, untilConfirmedMs }: ReturnType<typeof heads>) {
  const receipts = new BoundedMap<Hash, Receipt>(rememberedMax)

  /**
   * Returns the milliseconds until a transaction should be confirmed. 0 if it may be confirmed already, and null if the
   * time is unknown.
   */
  function untilArrivedMs(hash: Hash): number | null {
    const receipt = receipts.get(hash)
    return receipt ? untilConfirmedMs(receipt.block) : null
  }

  async function arrived(hash: Hash, token: Address, recipient: Address): Promise<Arrival | null> {
    if (untilArrivedMs(hash)) return null
    const receipt = receipts.get(hash) ?? (await receiptOf(ask, hash, isBound))
    if (!receipt) return null
    const { block, blockHash } = receipt
    if (untilConfirmedMs(block)) {
      receipts.set(hash, receipt)
      return null
    }
    const { block: stands, isConfirmed } = await confirmedAt(block, blockHash, receipt.isBound)
    receipts.delete(hash)
    if (stands?.hash !== blockHash) return null
    if (!isConfirmed) {
      receipts.set(hash, receipt)
      return null
    }
    if (!receipt.isBound) await ask('eth_chainId', []) // another chain may have the same transaction
    const all = !receipt.succeeded ? [] : isNative(token) ? [await coin()] : transfers(receipt.logs)
    const parts = all.filter((part) => part.amountRaw > 0n)
    return { amountRaw: sumOf(parts.map((part) => part.amountRaw)), block, time: stands.time, parts }

    async function coin(): Promise<Part> {
      const by = (measure: Measure) => (node: Ask) => coinArrived(node, { hash, block, blockHash }, recipient, measure)
      const of = (look: (node: Ask) => Promise<bigint>) => ask.ofOne?.(look) ?? look(ask)
      const amountRaw = await of(by(traced)).catch(() => of(by(balanceRise)))
      return { place: `${hash}:coin:${recipient}`.toLowerCase(), amountRaw }
    }
    function transfers(logs: Log[]): Part[] {
      return transfersIn(logs)
        .filter(({ token: of, to, from }) => same(of, token) && same(to, recipient) && !same(from, recipient))
        .map(({ logIndex, amountRaw }) => ({ place: `${hash}:${logIndex}`.toLowerCase(), amountRaw }))
    }
  }

  return { arrived, untilArrivedMs }
}

type Mined = { hash: Hash; block: number; blockHash: Hash }
type Measure = (node: Ask, mined: Mined, recipient: Address) => Promise<bigint>

/**
 * Returns the coin that a transaction brought. All reads go to one node that has the transaction in the confirmed
 * block. A node on a fork may have it in a different block, where a contract may have paid a different amount. The next
 * node is then tried.
 */
async function coinArrived(node: Ask, mined: Mined, recipient: Address, measure: Measure): Promise<bigint> {
  const { from, to, value, blockHash } = asObject(await node('eth_getTransactionByHash', [mined.hash]))
  if (!same(blockHash, mined.blockHash))
    throw new RoutingError('RPC_FAILED', { cause: new Error('The node has the transaction in another block') })
  if (same(to, recipient) && !same(from, recipient) && asAmount(value) > 0n) return asAmount(value)
  return measure(node, mined, recipient)
}

/** Throws if the node does not trace, or not in time. */
async function traced(node: Ask, { hash }: Mined, recipient: Address): Promise<bigint> {
  return coinIn(await node('debug_traceTransaction', [hash, { tracer: 'callTracer' }]), recipient)
}

async function balanceRise(node: Ask, { hash, block }: Mined, recipient: Address): Promise<bigint> {
  const balanceAt = async (number: number) => asAmount(await node('eth_getBalance', [recipient, toQuantity(number)]))
  const [before, after, full] = await Promise.all([
    balanceAt(block - 1),
    balanceAt(block),
    node('eth_getBlockByNumber', [toQuantity(block), true]),
  ])
  let rise = after - before
  for (const other of asList(asObject(full)['transactions']).map(asObject)) {
    const isParty = same(other['to'], recipient) || same(other['from'], recipient)
    if (!isParty || other['hash'] === hash) continue
    const receipt = asObject(await node('eth_getTransactionReceipt', [other['hash']]))
    const value = receipt['status'] === '0x1' ? asAmount(other['value']) : 0n
    if (same(other['to'], recipient)) rise -= value
    if (same(other['from'], recipient))
      rise += value + asAmount(receipt['gasUsed']) * asAmount(receipt['effectiveGasPrice'])
  }
  return rise > 0n ? rise : 0n
}

/** Sums the payments in a trace. A failed call counts for nothing, with all calls that it made. */
function coinIn(frame: unknown, recipient: Address): bigint {
  const { type, from, to, value, error, calls } = asObject(frame)
  if (error) return 0n
  let amount = 0n
  if (movingCalls.includes(String(type)) && same(to, recipient) && !same(from, recipient))
    amount += asAmount(value ?? '0x0')
  for (const inner of asList(calls ?? [])) amount += coinIn(inner, recipient)
  return amount
}

const same = (one: unknown, other: Address): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
