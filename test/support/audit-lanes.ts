import fc from 'fast-check'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import type { AuditRecord, LaneFacts, Move, RouteFact } from '../../src/ports/audit'
import { addressOf, hashOf } from './deposits'

export const account = addressOf(0xacc)
export const collector = addressOf(0xc011)
export const recipient = addressOf(0x4ec)
const payer = addressOf(0x9a)
const provider = addressOf(0x94)
const relayer = addressOf(0x4e1)
const token = addressOf(0x70)
/** The stated block of every drawn lane. */
export const at = 1_000

type End = 'OPEN' | 'SENT' | 'SUCCESS' | 'MINTED' | 'REFUNDED' | 'LEFT_BEHIND' | 'TAKEN' | 'LATER_ROUTE' | 'LATER'
const ends: readonly End[] = [
  ...(['OPEN', 'SENT', 'SUCCESS', 'MINTED', 'REFUNDED'] as const),
  ...(['LEFT_BEHIND', 'TAKEN', 'LATER_ROUTE', 'LATER'] as const),
]

export type Drawn = { amountRaw: bigint; end: End; gasFeeRaw: bigint; protocolFeeBps: number; remainderRaw: bigint }

export const drawn: fc.Arbitrary<Drawn> = fc.record({
  amountRaw: fc.bigInt(100n, 10n ** 24n),
  end: fc.constantFrom(...ends),
  gasFeeRaw: fc.bigInt(0n, 20n),
  protocolFeeBps: fc.nat(1_000),
  remainderRaw: fc.bigInt(0n, 3n),
})

const recordOf = (n: number, amountRaw: bigint, isNative: boolean): AuditRecord => ({
  id: isNative ? `8453:sweep:${account}:${zeroAddress}:${n}` : `8453:${hashOf(n)}:0`,
  status: 'RUNNING',
  account,
  chainId: 8453,
  token: isNative ? zeroAddress : token,
  symbol: isNative ? 'ETH' : 'USDC',
  decimals: isNative ? 18 : 6,
  amountRaw,
  txHash: isNative ? null : hashOf(n),
  block: 10 * n,
  routeId: null,
  spentRaw: null,
  spentBlock: null,
  verifiedRaw: null,
  protocolFeeRaw: null,
  gasFeeRaw: null,
  protocolFeeBps: null,
  fees: null,
  recipient: null,
  takenBy: null,
  arrival: null,
  isReturned: false,
})

const moveOf = (n: number, from: Address, to: Address, amountRaw: bigint, logIndex = 0): Move => ({
  token,
  from,
  to,
  amountRaw,
  txHash: hashOf(n),
  logIndex,
  block: 10 * n,
})

/** The facts of a lane with these deposits, as a correct service and honest chains leave them. */
export function laneOf(deposits: readonly Drawn[], isNative = false): LaneFacts {
  const moves: Move[] = []
  const routes: RouteFact[] = []
  const records: AuditRecord[] = []
  let heldRaw = 0n
  let waiting: AuditRecord[] = []
  for (const [index, drawn] of deposits.entries()) {
    const n = index + 1
    const { amountRaw, end } = drawn
    const record = recordOf(n, amountRaw, isNative)
    if (end === 'LATER') {
      records.push({ ...record, block: at + n })
      continue
    }
    if (!isNative) moves.push(moveOf(n, payer, account, amountRaw))
    heldRaw += amountRaw
    if (end === 'OPEN') records.push(record)
    else if (end === 'LEFT_BEHIND' || end === 'TAKEN') {
      records.push({ ...record, status: 'DEAD_LETTER' })
      if (end === 'TAKEN') waiting.push(records.at(-1)!)
    } else {
      const takenRaw = waiting.reduce((sum, each) => sum + each.amountRaw, 0n)
      const sent = sentOf(n, record, drawn, takenRaw)
      for (const each of waiting) each.takenBy = record.id
      waiting = []
      records.push(sent.record)
      if (end === 'LATER_ROUTE') continue
      routes.push(sent.route)
      if (!isNative) moves.push(...sent.moves)
      heldRaw -= sent.route.spentRaw
    }
  }
  const tokenOf = isNative ? zeroAddress : token
  const facts = { account, chainId: 8453, token: tokenOf, isNative, heldRaw, recoveries: [] } as const
  return { ...facts, moves, routes, records, isUnsupported: false, recordedTo: at }
}

function sentOf(n: number, record: AuditRecord, drawn: Drawn, takenRaw: bigint) {
  const { end, gasFeeRaw, protocolFeeBps, remainderRaw } = drawn
  const totalRaw = record.amountRaw + takenRaw
  const shareRaw = (totalRaw * BigInt(protocolFeeBps)) / 10_000n
  const feesRaw = shareRaw + gasFeeRaw
  const spentRaw = totalRaw - remainderRaw
  const routeId = hashOf(10_000 + n)
  const place = { txHash: hashOf(20_000 + n), block: 10 * n + 5 }
  const route: RouteFact = {
    ...{ routeId, account, token: record.token, spentRaw, collector, relayer, recipient, ...place },
    ...{ protocolFeeRaw: shareRaw, gasFeeRaw, nativeFeeRaw: 0n },
  }
  const moves = [
    { ...moveOf(20_000 + n, account, collector, feesRaw), block: place.block },
    { ...moveOf(20_000 + n, account, provider, spentRaw - feesRaw, 1), block: place.block },
  ]
  const isOver = end !== 'SENT' && end !== 'LATER_ROUTE'
  const arrival: AuditRecord['arrival'] = isOver
    ? end === 'SUCCESS'
      ? 'DELIVERED'
      : (end as 'MINTED' | 'REFUNDED')
    : null
  const fees = {
    totalReceivedRaw: String(totalRaw),
    protocolFeeRaw: String(shareRaw),
    protocolFeeEffective: String(shareRaw),
    protocolFeeForgiven: '0',
    gasFeeRaw: String(gasFeeRaw),
    amountForSwapRaw: String(totalRaw - feesRaw),
  }
  const spentBlock = end === 'LATER_ROUTE' ? at + n : place.block
  const facts = { routeId, spentRaw, spentBlock, verifiedRaw: totalRaw, protocolFeeRaw: shareRaw, gasFeeRaw }
  const status = isOver ? ('SUCCESS' as const) : ('RUNNING' as const)
  return { route, moves, record: { ...record, ...facts, status, protocolFeeBps, fees, recipient, arrival } }
}
