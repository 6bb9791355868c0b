import { noted } from '../../../machines/follow'
import { departing, type IntentSnapshot, snapshotOf } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import { type Execution, isUnspent } from '../../domain/execution/execution'
import { newExecution } from '../../domain/execution/new-execution'
import { type Asked, OperationRefused, type RefusalFacts } from '../../domain/execution/operation'
import { routeIdOf } from '../../domain/execution/route'
import { isTerminal } from '../../domain/execution/status'
import { amountOf, sumOf } from '../../domain/money/amount'
import { type Holder, holdingOf } from '../../domain/money/holding'
import { successorOf } from '../../domain/money/superseded'
import { assureUnlisted } from '../engine/screening'
import { changed, found, note, type OperationPorts } from './ports'

/** Who gets paid is never a default: the intent of today, the one it was matched with, or the refund address. */
type RedriveTo = 'CURRENT' | 'ORIGINAL' | 'REFUND'

const redrivesMax = 100

/** A new execution for what is measured in the account and belongs to this deposit; the old one stays as it ended. */
export const redrive =
  (ports: OperationPorts) =>
  async (id: string, to: RedriveTo, asked: Asked): Promise<Execution> => {
    const { executions, wakes, now } = ports
    const record = await found(executions, id, asked)
    const { latest, next, isThere } = await lineOf(record, ports)
    await assureRedrivable(latest, ports)
    const chosen = await intentFor(record, to, ports)
    const intent = record.refundOf === null ? chosen : departing(chosen, { protocolFeeBps: 0 })
    assureStillUnlisted({ deposit: latest.deposit, facts: { intent } }, ports)
    const { amountRaw, block } = await measured(latest, isThere, ports)
    const verb = to === 'REFUND' ? 'execution.refund' : 'execution.redrive'
    await note(ports, verb, record, asked, { intent: to, intentVersion: intent.version, execution: next })

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
    const began = { ...fresh.history[0]!, at: now(), event: 're-drive asked', note: asked.reason }
    const stored = await executions.save({
      ...fresh,
      facts: { intent, routeId },
      history: [began],
      redriveOf: latest.id,
      refundOf,
    })
    if (!stored) throw new OperationRefused('REDRIVE_IN_PROGRESS', { executionId: next })
    await changed(ports, latest, (old) => {
      const { state, status } = old
      const entry = { at: now(), event: 're-driven', from: state, to: state, status, note: asked.reason }
      return noted({ ...old, redrivenBy: next }, entry)
    })
    await wakes.wakeNow(stored).catch(() => {}) // it is due: the sweeper wakes it too
    return stored
  }

/** `isThere`: the money of one of them was found, so that the lane's book has it. */
type Line = { latest: Execution; next: string; isThere: boolean }

/** The last of an execution and its re-drives, and the id of the next: which of them exist is what is stored. */
async function lineOf({ id }: Execution, { executions }: OperationPorts): Promise<Line> {
  const first = id.replace(/:r\d+$/, '')
  let latest = (await executions.load(first))!
  let isThere = latest.state !== 'FAILED_NO_FUNDS'
  for (let n = 1; n <= redrivesMax; n++) {
    const next = `${first}:r${n}`
    const later = await executions.load(next)
    if (!later) return { latest, next, isThere }
    latest = later
    isThere ||= later.state !== 'FAILED_NO_FUNDS'
  }
  throw new OperationRefused('NO_FUNDS_TO_REDRIVE')
}

/** Token, sender and recipient: what screening would stop again is not begun. */
function assureStillUnlisted(wanted: Pick<Execution, 'deposit' | 'facts'>, { blacklist }: OperationPorts): void {
  try {
    assureUnlisted(wanted, blacklist)
  } catch (error) {
    const isToken = error instanceof RoutingError && error.code === 'TOKEN_BLACKLISTED'
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
  // A later deposit took it along: what lies there now is another's.
  if (successorOf(latest)?.by === 'takenBy') throw new OperationRefused('NO_FUNDS_TO_REDRIVE')
  if (!facts.order) return
  const { time } = await chains[deposit.chainId].confirmed()
  if (time <= facts.order.deadline)
    throw new OperationRefused('TRANSACTION_IN_FLIGHT', { time: new Date(facts.order.deadline * 1_000).toISOString() })
}

const named: Partial<Record<Holder, string>> = { PROVIDER: 'the routing provider', RECIPIENT: 'the recipient' }

/** Of money that has left the account once: by the same rule that shows where it is. */
function whoHas(latest: Execution): RefusalFacts {
  const successor = successorOf(latest)
  return successor ? { executionId: successor.id } : { holder: named[holdingOf(latest).holder] }
}

async function intentFor(
  { deposit, facts }: Execution,
  to: RedriveTo,
  { intents }: OperationPorts,
): Promise<IntentSnapshot> {
  if (to === 'ORIGINAL' && facts.intent) return facts.intent
  const current = await intents.load(deposit.account)
  if (!current) throw new OperationRefused('NO_DEPOSIT_INTENT')
  if (to !== 'REFUND') return snapshotOf(current)
  if (!current.refundAddress) throw new OperationRefused('NO_REFUND_ADDRESS')
  const { chainId: targetChainId, token: targetTokenAddress } = deposit
  const refund = { targetChainId, targetTokenAddress, targetAddress: current.refundAddress, protocolFeeBps: 0 }
  return departing(snapshotOf(current), refund)
}

/**
 * What of the deposit is in the account, by a confirmed block, when nobody else's is touched. It is of what the lane's
 * records explain; where they say that it never came, of what they do not: that which is explained is another's.
 */
async function measured({ id, deposit }: Execution, isThere: boolean, { executions, chains }: OperationPorts) {
  const { lane, token, account } = deposit
  const chain = chains[deposit.chainId]
  const { number: block } = await chain.confirmed()
  const [balance, inLane, book] = await Promise.all([
    chain.balanceOf(token, account, block),
    executions.unspentIn(lane),
    executions.bookOf(lane, block),
  ])
  const reserved = sumOf(
    inLane.filter((other) => other.id !== id && isUnspent(other)).map((other) => amountOf(other.deposit.amountRaw)),
  )
  const explained = book && book.broughtRaw - book.spentRaw
  const left = balance - reserved
  const itsOwn = explained === null ? 0n : isThere ? explained - reserved : balance - explained
  const amount = [left, itsOwn, amountOf(deposit.amountRaw)].reduce((a, b) => (a < b ? a : b))
  if (amount <= 0n) throw new OperationRefused('NO_FUNDS_TO_REDRIVE')
  return { amountRaw: String(amount), block }
}
