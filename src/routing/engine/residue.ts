import type { Execution, ReservedMoney } from '../../domain/execution/execution'
import { broughtBy, isCircling, isResidue, lineBefore, type Residue, residueMax } from '../../domain/execution/lane'
import { amountOf, arrivedRawOf } from '../../domain/money/amount'
import type { Executions } from '../../ports/executions'
import { isPayerListed, type ScreeningPorts } from '../../screening/deposit-screening'

type Claimant = Pick<Residue, 'id' | 'state' | 'redriveOf' | 'deposit' | 'facts'>
type Ports = ScreeningPorts & { executions: Pick<Executions, 'loadMany' | 'residueIn'> }

/**
 * Divides the leftovers of ended records in a lane, at a block. `along`: leftovers that the next deposit includes, the
 * largest first. `stays`: leftovers that remain reserved, because a payer is or may be listed now, or there are too
 * many records. `circled`: leftovers that only a re-drive moves.
 *
 * @param apart Ids of records whose money is counted elsewhere.
 */
export async function residueAt(
  block: number,
  lane: string,
  apart: ReadonlySet<string | null>,
  ports: Ports,
): Promise<{ along: Residue[]; stays: Residue[]; circled: Residue[] }> {
  const left = await ports.executions.residueIn(lane)
  const there = left.filter((one) => !apart.has(one.id) && one.deposit.block <= block).toSorted(byAmount)
  const [along, stays, circled]: [Residue[], Residue[], Residue[]] = [[], [], []]
  const isFull = () => along.length >= residueMax
  async function judged(one: Residue) {
    const hasCircled = await isCircled(one, ports.executions)
    const mayLeave = (hasCircled || !isFull()) && (await isPayerListed(one, ports)) === 'NO'
    return { one, hasCircled, mayLeave }
  }
  // The store combines the reads of a group.
  for (let n = 0; n < there.length; n += residueMax)
    for (const { one, hasCircled, mayLeave } of await Promise.all(there.slice(n, n + residueMax).map(judged)))
      (!mayLeave || (!hasCircled && isFull()) ? stays : hasCircled ? circled : along).push(one)
  return { along, stays, circled }
}

/** Whether the record ended because its money went round in circles, or re-drives a record that did. */
const isCircled = async (record: Residue, executions: Pick<Executions, 'loadMany'>): Promise<boolean> =>
  isCircling(record) || (await redrivenFor(record, executions)).some(isCircling)

const redrivenFor = async ({ id, redriveOf }: Claimant, executions: Pick<Executions, 'loadMany'>) =>
  redriveOf === null ? [] : executions.loadMany(lineBefore(id))

const byAmount = (a: Residue, b: Residue): number => {
  const [first, second] = [arrivedRawOf(a), arrivedRawOf(b)]
  return first === second ? 0 : first > second ? -1 : 1
}

/**
 * Whether a leftover can no longer be included: its payer was listed since, it was re-driven, or only a re-drive may
 * move it. A verification by a previous release names no records, so it counts as outdated.
 */
export async function isResidueOutdated(execution: Execution, ports: ScreeningPorts): Promise<boolean> {
  const { deposit, facts } = execution
  const isMore = amountOf(facts.balance?.totalReceivedRaw ?? '0') > amountOf(deposit.amountRaw)
  if (!isMore) return false
  const { residue } = facts
  if (!residue) return true
  const records = residue.length === 0 ? [] : await ports.executions.loadMany(residue)
  const mustStay = async (one: Execution): Promise<boolean> =>
    !isResidue(one) || (await isCircled(one, ports.executions)) || (await isPayerListed(one, ports)) !== 'NO'
  return records.length < residue.length || (await Promise.all(records.map(mustStay))).includes(true)
}

/**
 * Returns the amount that a record claims, in atomic units. A re-drive that was measured while other money of its lane
 * was in flight states only a part. It claims all that its deposit brought, because no other record does.
 */
export async function claimRawOf(record: Claimant, executions: Pick<Executions, 'loadMany'>): Promise<bigint> {
  return broughtBy([record, ...(await redrivenFor(record, executions))])
}

/** The ids of a lane's records that reserve money at a block, of this record, and of the record that it re-drives. */
export const countedApart = (
  reserved: readonly ReservedMoney[],
  { id, redriveOf }: Pick<Execution, 'id' | 'redriveOf'>,
) => new Set([id, redriveOf, ...reserved.map((one) => one.id)])
