import type { Connection } from 'mongoose'
import { type ChainId, chainIds, chainKeyOf } from '../../../domain/chain/chain'
import type { Address, Hash } from '../../../domain/chain/hex'
import type { Unsupported } from '../../../domain/deposit/unsupported'
import type { Execution } from '../../../domain/execution/execution'
import type { AuditQueries, AuditRecord, UnsupportedFact } from '../../../ports/audit'
import { executionModel } from '../collections/execution-model'

const batchSize = 2_000
/** What the audit reads. Signed orders and histories are most of a record, and are left out. */
const projection = {
  ...Object.fromEntries(['status', 'takenBy', 'continuedBy', 'redriveOf', 'cause.code'].map((field) => [field, 1])),
  ...Object.fromEntries(
    ['account', 'chainId', 'token', 'symbol', 'decimals', 'amountRaw', 'txHash', 'block'].map((field) => [
      `deposit.${field}`,
      1,
    ]),
  ),
  ...Object.fromEntries(
    ['routeId', 'spent', 'fees', 'balance', 'delivery', 'mint.nonce', 'intent'].map((field) => [`facts.${field}`, 1]),
  ),
}

/** Sorts after every address. */
const lastKey = 'z'

/** Reads for the audit, in the order of the accounts' addresses. */
export function mongoAuditQueries(connection: Connection): AuditQueries {
  const { collection } = executionModel(connection)
  const collectionOf = <Row extends object>(name: string) => connection.db!.collection<Row & { _id: string }>(name)

  return {
    async accounts() {
      const addresses: Address[] = []
      let firstCreatedAt: number | null = null
      const rows = collectionOf<{ createdAt: number }>('accounts').find({}, { projection: { createdAt: 1 }, batchSize })
      for await (const { _id, createdAt } of rows) {
        addresses.push(_id as Address)
        firstCreatedAt = Math.min(firstCreatedAt ?? createdAt, createdAt)
      }
      const keyed = addresses.map((address) => [address.toLowerCase(), address] as const)
      keyed.sort(([one], [other]) => (one < other ? -1 : 1))
      return { addresses: keyed.map(([, address]) => address), firstCreatedAt }
    },
    async records(from, to) {
      const lanes = { 'deposit.lane': { $gte: from, $lt: to ?? lastKey } }
      const rows = collection.find(lanes, { projection, batchSize }).hint('laneOver')
      return (await rows.toArray()).map((row) => recordOf(row as unknown as ExecutionDocument))
    },
    async unsupported(from, to) {
      const unsupportedFacts: UnsupportedFact[] = []
      for (const chainId of chainIds) {
        const prefix = `${chainId}:unsupported:`
        const ids = { _id: { $gte: `${prefix}${from}`, $lt: `${prefix}${to ?? lastKey}` } }
        const fields = { account: 1, token: 1, others: 1 }
        for await (const row of collectionOf<Unsupported>('unsupported').find(ids, { projection: fields, batchSize }))
          unsupportedFacts.push({ account: row.account, chainId, token: row.others === null ? row.token : null })
      }
      return unsupportedFacts
    },
    async relayers() {
      const ids = await collectionOf('senders')
        .find({}, { projection: { _id: 1 } })
        .toArray()
      return new Set(ids.map(({ _id }) => _id.slice(_id.indexOf(':') + 1).toLowerCase()))
    },
    async recordedTo(chainId: ChainId) {
      const key = chainKeyOf(chainId)
      const cursors = collectionOf<{ scannedBlock: number }>('scanCursors')
      const rows = await cursors.find({ _id: { $in: [key, `${key}:any`] } }).toArray()
      const blockOf = (id: string) => rows.find(({ _id }) => _id === id)?.scannedBlock ?? null
      return { listed: blockOf(key), others: blockOf(`${key}:any`) }
    },
  }
}

type ExecutionDocument = Execution & { _id: string }

const amountOrNull = (text: string | undefined): bigint | null => (text === undefined ? null : BigInt(text))

function recordOf({ _id, status, deposit, facts, cause, redriveOf, ...record }: ExecutionDocument): AuditRecord {
  const { spent, fees, intent, delivery, balance, mint } = facts
  const isRefund = (redriveOf ?? null) !== null && intent?.refundAddress === intent?.targetAddress
  const arrival = isRefund ? 'REFUNDED' : mint ? 'MINTED' : 'DELIVERED'
  return {
    id: _id,
    status,
    account: deposit.account,
    chainId: deposit.chainId,
    token: deposit.token,
    symbol: deposit.symbol,
    decimals: deposit.decimals,
    amountRaw: BigInt(deposit.amountRaw),
    txHash: deposit.txHash,
    block: deposit.block,
    routeId: (facts.routeId ?? null) as Hash | null,
    spentRaw: amountOrNull(spent?.amountRaw),
    spentBlock: spent?.block ?? null,
    verifiedRaw: amountOrNull(balance?.totalReceivedRaw),
    protocolFeeRaw: amountOrNull(fees?.protocolFeeEffective),
    gasFeeRaw: amountOrNull(fees?.gasFeeRaw),
    protocolFeeBps: intent?.protocolFeeBps ?? null,
    fees: fees ?? null,
    recipient: intent?.targetAddress ?? null,
    takenBy: record.takenBy ?? null,
    arrival: delivery ? arrival : null,
    isReturned: (record.continuedBy ?? null) !== null || cause?.code === 'FUNDS_RETURNED',
  }
}
