import { mongoEventLog } from '../../../src/adapters/mongo/collections/events'
import { mongoLedgerQueries } from '../../../src/adapters/mongo/queries/ledger-queries'
import { entryFaults, type Fault, faultsOf } from '../../../src/audit/invariants'
import type { Execution } from '../../../src/domain/execution/execution'
import type { Order } from '../../../src/domain/execution/route'
import { sumOf } from '../../../src/domain/money/amount'
import { entriesOf, type LedgerAccount, type LedgerEntry, type LedgerRecord } from '../../../src/domain/money/ledger'
import type { LedgerQueries } from '../../../src/ports/limits'
import type { EventLog } from '../../../src/ports/webhooks'
import type { City } from './city'
import { organizationIds } from './parties'
import { depositIn } from './users'

/** What the API reads for an organization's finance: its records, their entries, and its events. */
export type Books = {
  ledger: Pick<LedgerQueries, 'records'>
  entriesOf: typeof entriesOf
  eventLog: Pick<EventLog, 'after'>
}

/** The organizations' books, on a connection without faults. */
export function booksOf({ mongo }: Pick<City, 'mongo'>): Books {
  const connection = mongo.connect(async (_command, act) => act())
  return { ledger: mongoLedgerQueries(connection), entriesOf, eventLog: mongoEventLog(connection) }
}

type Line = { organizationId: string; entries: readonly LedgerEntry[] }

const sumIn = (entries: readonly LedgerEntry[], of: LedgerAccount): bigint =>
  entries
    .flatMap(({ postings }) => postings)
    .reduce((sum, { account, amountRaw }) => (account === of ? sum + amountRaw : sum), 0n)

/** Reads the books of every organization at the end, and compares them with the chain. */
export async function bookFaults(city: City, { ledger, entriesOf: entries, eventLog }: Books): Promise<Fault[]> {
  const executions = new Map(city.executions.all().map((record) => [record.id, record]))
  const faults = new Set<Fault>()
  const note = (some: readonly Fault[]) => {
    for (const fault of some) faults.add(`ledger: ${fault}`)
  }
  const lines: Line[] = []
  for (const organizationId of organizationIds) {
    const records: LedgerRecord[] = []
    for await (const record of ledger.records(organizationId, Number.MAX_SAFE_INTEGER)) records.push(record)
    const isOwn = ({ id }: LedgerRecord) => city.users.organizationOf(id) === organizationId
    const own = executions.values().filter((one) => city.users.organizationOf(one.id) === organizationId)
    note(
      faultsOf(
        [records.every(isOwn), 'An organization reads the record of another.'],
        [new Set(records.map(({ id }) => id)).size === [...own].length, 'An organization’s record is missing.'],
      ),
    )
    const ofDeposit = Map.groupBy(records, ({ id }) => depositIn(id))
    for (const line of ofDeposit.values()) lines.push({ organizationId, entries: entries(line) })
    const events = await eventLog.after(0, { organizationId }, Number.MAX_SAFE_INTEGER)
    const isOwnEvent = events.every(({ dataId }) => city.users.organizationOf(dataId) === organizationId)
    note(faultsOf([isOwnEvent, 'An organization reads the event of another.']))
  }
  const all = lines.flatMap((line) => line.entries)
  for (const { postings } of all) note(entryFaults(postings))
  note(heldFaults(city, executions, all))
  note(movedFaults(city, executions, all))
  return [...faults]
}

/** An account holds what its entries say, and what no record explains. */
function heldFaults(city: City, executions: ReadonlyMap<string, Execution>, all: readonly LedgerEntry[]): Fault[] {
  const accountOf = ({ executionId }: LedgerEntry) => executions.get(executionId)!.deposit.account
  return [...Map.groupBy(all, accountOf)].flatMap(([account, entries]) => {
    const held = (city.chain.standing.balances.get(account) ?? 0n) - city.users.silentIn(account)
    const said = sumIn(entries, 'DEPOSIT_ACCOUNT')
    // Money came back with a reorganization, and only a sweep finds it.
    const records = [...executions.values()].filter(({ deposit }) => deposit.account === account)
    const backRaw = city.sweeps ? 0n : lostIn(records, city)
    const name = city.users.nameOf(entries[0]!.executionId)
    const goneRaw = sumOf(leftAfterEnd(records, city).map(({ amountIn }) => BigInt(amountIn)))
    return faultsOf([said + backRaw - goneRaw === held, `The account of ${name} does not balance.`])
  })
}

/** The amount of records whose order was undone for good. */
function lostIn(records: readonly Execution[], { chain }: City): bigint {
  const lost = records.filter(({ facts }) => chain.isLost(facts))
  return sumOf(lost.map(({ facts: { spent } }) => BigInt(spent?.amountRaw ?? 0)))
}

/** The orders that were executed after a reorganization although their records had ended. No book has them. */
const leftAfterEnd = (records: Iterable<Execution>, { chain }: City): Order[] =>
  [...records].filter(chain.leftAfterEnd).map(({ facts }) => chain.standing.used.get(facts.routeId!)!.order)

/** The fees are those of the chain, and every delivery has an entry. */
function movedFaults(city: City, executions: ReadonlyMap<string, Execution>, all: readonly LedgerEntry[]): Fault[] {
  const orders = [...city.chain.standing.used.values()].map(({ order }) => order)
  const lost = [...executions.values()].filter(({ facts }) => facts.spent && city.chain.isLost(facts))
  const charged = [...orders, ...lost.map(({ facts }) => facts.order!)]
  const unseen = leftAfterEnd(executions.values(), city)
  const sumOfFee = (of: readonly Order[], fee: 'protocolFee' | 'gasFee') => sumOf(of.map((order) => BigInt(order[fee])))
  const taken = (fee: 'protocolFee' | 'gasFee') => sumOfFee(charged, fee) - sumOfFee(unseen, fee)
  const delivered = new Set(all.filter(({ kind }) => kind === 'DELIVERED').map(({ executionId }) => executionId))
  const successes = [...executions.values()].filter(({ state }) => state === 'SUCCESS')
  return faultsOf(
    [sumIn(all, 'PROTOCOL_FEE') === taken('protocolFee'), 'The protocol fees are not those of the chain.'],
    [sumIn(all, 'GAS_FEE') === taken('gasFee'), 'The gas fees are not those of the chain.'],
    [successes.every(({ id }) => delivered.has(id)), 'A delivery has no entry.'],
  )
}
