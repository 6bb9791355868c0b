import { noted } from '../../../machines/follow'
import { amountOf, sumOf } from '../../domain/amount'
import { type IntentSnapshot, snapshotOf } from '../../domain/deposit-intent'
import { detected } from '../../domain/detected'
import { RoutingError } from '../../domain/error'
import { type Execution, isUnspent } from '../../domain/execution'
import { type Asked, OperationRefused } from '../../domain/operation'
import { routeIdOf } from '../../domain/route'
import { isTerminal } from '../../domain/status'
import { assureUnlisted } from '../screening'
import { changed, found, note, type OperationPorts } from './ports'

/** Who gets paid is never a default: the intent of today, the one it was matched with, or the refund address. */
export type RedriveTo = 'CURRENT' | 'ORIGINAL' | 'REFUND'

const redrivesMax = 100

/** A new execution for what is measured in the account and belongs to this deposit; the old one stays as it ended. */
export const redrive =
  (ports: OperationPorts) =>
  async (id: string, to: RedriveTo, asked: Asked): Promise<Execution> => {
    const { executions, wakes, now } = ports
    const record = await found(executions, id, asked)
    const { latest, next } = await lineOf(record, ports)
    await assureRedrivable(latest, ports)
    const chosen = await intentFor(record, to, ports)
    const intent = record.refundOf === null ? chosen : { ...chosen, protocolFeeBps: 0 }
    assureStillUnlisted({ deposit: latest.deposit, facts: { intent } }, ports)
    const { amountRaw, block } = await measured(latest, ports)
    const verb = to === 'REFUND' ? 'execution.refund' : 'execution.redrive'
    await note(ports, verb, record, asked, { intent: to, intentVersion: intent.version, execution: next })

    const { organizationId, userId, deposit, refundOf } = latest
    const routeId = routeIdOf({ organizationId, userId, executionId: next, intent })
    const fresh = detected(
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

/** The last of an execution and its re-drives, and the id of the next: which of them exist is what is stored. */
async function lineOf({ id }: Execution, { executions }: OperationPorts): Promise<{ latest: Execution; next: string }> {
  const first = id.replace(/:r\d+$/, '')
  let latest = (await executions.load(first))!
  for (let n = 1; n <= redrivesMax; n++) {
    const next = `${first}:r${n}`
    const later = await executions.load(next)
    if (!later) return { latest, next }
    latest = later
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
  if (facts.spent) throw new OperationRefused('FUNDS_NOT_IN_ACCOUNT', { holder: 'the routing provider' })
  if (!facts.order) return
  const { time } = await chains[deposit.chainId].confirmed()
  if (time <= facts.order.deadline)
    throw new OperationRefused('TRANSACTION_IN_FLIGHT', { time: new Date(facts.order.deadline * 1_000).toISOString() })
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
  return {
    ...snapshotOf(current),
    targetChainId,
    targetTokenAddress,
    targetAddress: current.refundAddress,
    protocolFeeBps: 0,
  }
}

/** What of the deposit is in the account, by a confirmed block, when nobody else's is touched. */
async function measured({ id, deposit }: Execution, { executions, chains }: OperationPorts) {
  const chain = chains[deposit.chainId]
  const { number: block } = await chain.confirmed()
  const [balance, inLane] = await Promise.all([
    chain.balanceOf(deposit.token, deposit.account, block),
    executions.unspentIn(deposit.lane),
  ])
  const reserved = sumOf(
    inLane.filter((other) => other.id !== id && isUnspent(other)).map((other) => amountOf(other.deposit.amountRaw)),
  )
  const left = balance - reserved
  const amount = left < amountOf(deposit.amountRaw) ? left : amountOf(deposit.amountRaw)
  if (amount <= 0n) throw new OperationRefused('NO_FUNDS_TO_REDRIVE')
  return { amountRaw: String(amount), block }
}
