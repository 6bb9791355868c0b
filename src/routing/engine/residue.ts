import type { Execution, ReservedMoney } from '../../domain/execution/execution'
import { broughtBy, isCircling, isResidue, lineBefore, type Residue, residueMax } from '../../domain/execution/lane'
import { amountOf, arrivedRawOf } from '../../domain/money/amount'
import type { Executions } from '../../ports/executions'
import { isPayerListed, type ScreeningPorts } from '../../screening/deposit-screening'

type Claimant = Pick<Residue, 'id' | 'state' | 'redriveOf' | 'deposit' | 'facts'>
type Ports = ScreeningPorts & { executions: Pick<Executions, 'loadMany' | 'residueIn'> }

/**
 * Divides the leftovers of ended records in a lane, at a block. `along`: leftovers that the next deposit includes, the
 * largest first. `stays`: leftovers that remain reserved, because they may not join a deposit, or there are too many
 * records.
 *
 * @param apart Ids of records whose money is counted elsewhere.
 */
export async function residueAt(
  block: number,
  lane: string,
  apart: ReadonlySet<string | null>,
  ports: Ports,
): Promise<{ along: Residue[]; stays: Residue[] }> {
  const left = await ports.executions.residueIn(lane)
  const there = left.filter((one) => !apart.has(one.id) && one.deposit.block <= block)
  const [along, stays]: [Residue[], Residue[]] = [[], []]
  for (const one of there.toSorted(byAmount)) {
    const mayGo = along.length < residueMax && (await mayJoin(one, ports))
    ;(mayGo ? along : stays).push(one)
  }
  return { along, stays }
}

/** Whether a leftover may join a deposit: it did not go round in circles, and none of its payers may be listed. */
const mayJoin = async (one: Residue, ports: ScreeningPorts): Promise<boolean> =>
  !isCircling(one) && (await isPayerListed(one, ports)) === 'NO'

const byAmount = (a: Residue, b: Residue): number => {
  const [first, second] = [arrivedRawOf(a), arrivedRawOf(b)]
  return first === second ? 0 : first > second ? -1 : 1
}

/**
 * Whether a leftover can no longer be included: it may not join a deposit by now, or it was re-driven. A verification
 * by a previous release names no records, so it counts as outdated.
 */
export async function isResidueOutdated(execution: Execution, ports: ScreeningPorts): Promise<boolean> {
  const { deposit, facts } = execution
  const isMore = amountOf(facts.balance?.totalReceivedRaw ?? '0') > amountOf(deposit.amountRaw)
  if (!isMore) return false
  const { residue } = facts
  if (!residue) return true
  const records = residue.length === 0 ? [] : await ports.executions.loadMany(residue)
  for (const one of records) if (!isResidue(one) || !(await mayJoin(one, ports))) return true
  return records.length < residue.length
}

/**
 * Returns the amount that a record claims, in atomic units. A re-drive that was measured while other money of its lane
 * was in flight names only a part. It claims all that its deposit brought, because no other record does.
 */
export async function claimRawOf(record: Claimant, executions: Pick<Executions, 'loadMany'>): Promise<bigint> {
  const before = record.redriveOf === null ? [] : await executions.loadMany(lineBefore(record.id))
  return broughtBy([record, ...before])
}

/** The ids of a lane's records that reserve money at a block, of this record, and of the record that it re-drives. */
export const countedApart = (
  reserved: readonly ReservedMoney[],
  { id, redriveOf }: Pick<Execution, 'id' | 'redriveOf'>,
) => new Set([id, redriveOf, ...reserved.map((one) => one.id)])
