import { withHistoryEntry } from '../../../machines/execution'
import { type IntentSnapshot, snapshotOf, withDepartures, withoutDepartures } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import { type Execution, isUnspent, newExecution } from '../../domain/execution/execution'
import { successorOf } from '../../domain/execution/lane'
import { OperationRefused, type OperationRequest, type RefusalFacts } from '../../domain/execution/operation'
import { routeIdOf } from '../../domain/execution/route'
import { isTerminal, neverArrived } from '../../domain/execution/status'
import { amountOf, arrivedRawOf, sumOf } from '../../domain/money/amount'
import { type Holder, holdingOf } from '../../domain/money/holding'
import { TemporarilyUnavailable } from '../../domain/unavailable'
import { assureUnlisted } from '../../screening/deposit-screening'
import { countedApart, residueAt } from '../engine/residue'
import { assureSettled, changeRecord, loadFor, noteOperation, type OperationPorts, type SeenUntil } from './ports'

/**
 * The payee: the recipient of the current intent or of the matched intent, or the refund address. There is no default.
 */
type RedriveTo = 'CURRENT' | 'ORIGINAL' | 'REFUND'

/**
 * The state that the author of a re-drive saw: a version of the current intent, or all that was stored up to a time. If
 * both are absent, the current state applies.
 */
type RedriveTarget = SeenUntil & { intentVersion?: number | undefined }

const redrivesMax = 100

/**
 * Starts a new execution for the part of the account's balance that belongs to this deposit. The old execution keeps
 * its end state.
 */
export const redrive =
  (ports: OperationPorts) =>
  async (
    id: string,
    to: RedriveTo,
    operationRequest: OperationRequest,
    seenIntent: RedriveTarget = {},
  ): Promise<Execution> => {
    const { executions, wakes, now } = ports
    const record = await loadFor(executions, id, operationRequest)
    const { latest, next, isThere, original } = await lineOf(record, ports)
    await assureRedrivable(latest, ports)
    assureSettled(latest, seenIntent)
    const chosen = to === 'ORIGINAL' ? originalOf(original) : await currentFor(record, to, seenIntent, ports)
    const intent = record.refundOf === null ? chosen : withDepartures(chosen, { protocolFeeBps: 0 })
    await assureStillUnlisted({ deposit: latest.deposit, facts: { intent }, refundOf: latest.refundOf }, ports)
    const { amountRaw, block } = await redrivableFunds(latest, isThere, ports)
    const verb = to === 'REFUND' ? 'execution.refund' : 'execution.redrive'
    await noteOperation(ports, verb, record, operationRequest, {
      intent: to,
      intentVersion: intent.version,
      execution: next,
    })

    const { organizationId, userId, deposit, refundOf } = latest
    const routeId = routeIdOf({ organizationId, userId, executionId: next, intent })
    const fresh = newExecution(
      {
        id: next,
        organizationId,
        userId,
        machineVersion: ports.machineVersion,
        deposit: { ...deposit, amountRaw, block },
      },
      now(),
    )
    const began = { ...fresh.history[0]!, at: now(), event: 're-drive asked', note: operationRequest.reason }
    const stored = await executions.save({
      ...fresh,
      facts: { intent, routeId },
      history: [began],
      redriveOf: latest.id,
      refundOf,
    })
    if (!stored) throw new OperationRefused('REDRIVE_IN_PROGRESS', { executionId: next })
    await changeRecord(ports, latest, (old) => {
      // A worker that started the new execution was faster, or an order that was being signed took the money along.
      if (successorOf(old) !== null) return old
      const { state, status } = old
      const entry = { at: now(), event: 're-driven', from: state, to: state, status, note: operationRequest.reason }
      return withHistoryEntry({ ...old, redrivenBy: next }, entry)
    })
    await wakes.wakeNow(stored).catch(() => {}) // the sweeper also wakes it, because it is due
    return stored
  }

/**
 * An execution with its re-drives. `isThere`: the balance of one of them was verified, so the lane's ledger contains
 * the money. `original`: the first intent of any of them.
 */
type Line = { latest: Execution; next: string; isThere: boolean; original: IntentSnapshot | undefined }

/**
 * Returns the last of an execution's re-drives and the id of the next one. Existing re-drives are read from the
 * database.
 */
async function lineOf({ id }: Execution, { executions }: OperationPorts): Promise<Line> {
  const first = id.replace(/:r\d+$/, '')
  let latest = (await executions.load(first))!
  let isThere = !neverArrived(latest.state)
  let original = latest.facts.intent
  for (let n = 1; n <= redrivesMax; n++) {
    const next = `${first}:r${n}`
    const later = await executions.load(next)
    if (!later) return { latest, next, isThere, original }
    latest = later
    isThere ||= !neverArrived(later.state)
    original ??= later.facts.intent
  }
  throw new OperationRefused('NO_FUNDS_TO_REDRIVE')
}

/**
 * Refuses a re-drive that screening would stop again, because of its token, its sender or its recipient. If screening
 * would only delay it, its new execution waits.
 */
async function assureStillUnlisted(
  execution: Pick<Execution, 'deposit' | 'facts' | 'refundOf'>,
  ports: OperationPorts,
): Promise<void> {
  try {
    await assureUnlisted(execution, ports)
  } catch (error) {
    if (error instanceof TemporarilyUnavailable) return
    if (!(error instanceof RoutingError)) throw error
    const isToken = error.code === 'TOKEN_BLACKLISTED'
    throw new OperationRefused('TOKEN_BLACKLISTED', { listed: isToken ? 'token' : 'sender or recipient' })
  }
}

async function assureRedrivable(latest: Execution, { chains }: OperationPorts): Promise<void> {
  const { id, state, status, facts, deposit, redriveOf } = latest
  if (!isTerminal(state))
    throw redriveOf
      ? new OperationRefused('REDRIVE_IN_PROGRESS', { executionId: id })
      : new OperationRefused('NOT_TERMINAL', { status: status ?? state })
  if (state === 'SUCCESS') throw new OperationRefused('NO_FUNDS_TO_REDRIVE')
  if (facts.spent) throw new OperationRefused('FUNDS_NOT_IN_ACCOUNT', whoHas(latest))
  // A later deposit included the money, so the account's current balance belongs to another deposit.
  if (successorOf(latest)?.by === 'takenBy') throw new OperationRefused('NO_FUNDS_TO_REDRIVE')
  if (!facts.order) return
  const { time } = await chains[deposit.chainId].confirmed()
  if (time <= facts.order.deadline)
    throw new OperationRefused('TRANSACTION_IN_FLIGHT', {
      time: new Date(facts.order.deadline * 1_000).toISOString(),
      isRefused: latest.cause?.code === 'TRANSACTION_REVERTED',
    })
}

const named: Partial<Record<Holder, string>> = { PROVIDER: 'the routing provider', RECIPIENT: 'the recipient' }

/** Returns the holder of money that left the account, by the rule of `funds`. */
function whoHas(latest: Execution): RefusalFacts {
  const successor = successorOf(latest)
  return successor ? { executionId: successor.id } : { holder: named[holdingOf(latest).holder] }
}

/** Returns the deposit's matched intent. A refund's intent departs from the matched one. */
function originalOf(original: IntentSnapshot | undefined): IntentSnapshot {
  if (!original) throw new OperationRefused('NO_DEPOSIT_INTENT', { isUnmatched: true })
  return withoutDepartures(original)
}

async function currentFor(
  { deposit }: Execution,
  to: Exclude<RedriveTo, 'ORIGINAL'>,
  { intentVersion, storedTo = Number.POSITIVE_INFINITY }: RedriveTarget,
  { intents }: OperationPorts,
): Promise<IntentSnapshot> {
  const current = await intents.load(deposit.account)
  if (!current) throw new OperationRefused('NO_DEPOSIT_INTENT')
  if ((intentVersion ?? current.version) !== current.version || current.updatedAt > storedTo)
    throw new OperationRefused('CHANGED_MEANWHILE')
  if (to !== 'REFUND') return snapshotOf(current)
  if (!current.refundAddress) throw new OperationRefused('NO_REFUND_ADDRESS')
  const { chainId: targetChainId, token: targetTokenAddress } = deposit
  const refund = { targetChainId, targetTokenAddress, targetAddress: current.refundAddress, protocolFeeBps: 0 }
  return withDepartures(snapshotOf(current), refund)
}

/**
 * Measures how much of the deposit is in the account at a confirmed block. Money of other deposits is left out, as are
 * leftovers whose payer is listed now. The amount is limited to the balance that the lane's records explain. If they
 * show that the deposit never arrived, it is limited to the unexplained part instead, because the rest belongs to
 * others.
 */
async function redrivableFunds(latest: Execution, isThere: boolean, ports: OperationPorts) {
  const { id, deposit } = latest
  const { executions, chains } = ports
  const { lane, token, account } = deposit
  const chain = chains[deposit.chainId]
  const { number: block } = await chain.confirmed()
  const [balance, inLane, book] = await Promise.all([
    chain.balanceOf(token, account, block),
    executions.unspentIn(lane),
    executions.ledgerOf(lane, block),
  ])
  const others = inLane.filter((other) => other.id !== id && isUnspent(other))
  const { stays } = await residueAt(block, lane, countedApart(others, latest), ports)
  const reserved = sumOf([...others, ...stays].map(arrivedRawOf))
  const explained = book && book.broughtRaw - book.spentRaw
  const left = balance - reserved
  const itsOwn = explained === null ? 0n : isThere ? explained - reserved : balance - explained
  const amount = [left, itsOwn, amountOf(deposit.amountRaw)].reduce((a, b) => (a < b ? a : b))
  if (amount <= 0n) throw new OperationRefused('NO_FUNDS_TO_REDRIVE')
  return { amountRaw: String(amount), block }
}
