import type { Overdue, OverdueNow, OverdueReports, ReportedOverdue } from '../../ports/overdue'

/** What is written to the log. */
export type OverdueListeners = {
  /** It became overdue, or still is after a long while. */
  onOverdue: (overdue: Overdue, isAgain: boolean) => void
  /** It moved, ended, or is well again. */
  onOver: (said: ReportedOverdue) => void
  /** How many more are overdue than are told one by one. */
  onMore: (count: number) => void
}
type Ports = {
  overdueReports: OverdueReports
  overdue: Pick<OverdueNow, 'list'>
  listeners: OverdueListeners
  now: () => number
}

const reportId = 'overdue'
export const reportEveryMs = 15_000
const againMs = 60 * 60_000
/** How many lines are written at once. When everything stands still, the count says more than a thousand lines. */
const linesMax = 20

/**
 * Reports once what became overdue, from time to time that it still is, and once that it is over. One process does so
 * for all, whichever comes first. What is reported is stored before it is written to the log, so a process that dies
 * between the two delays a report by an hour.
 *
 * @returns Whether it was this process's turn.
 */
export async function reportOverdue(
  { overdueReports, overdue, listeners, now }: Ports,
  before: () => Promise<unknown> = async () => {},
): Promise<boolean> {
  const at = now()
  const told = (await overdueReports.load(reportId)) ?? { id: reportId, version: 0, at: 0, said: [] }
  if (told.at + reportEveryMs > at) return false
  const turn = await overdueReports.save({ ...told, at })
  if (!turn) return false
  await before()

  const found = await overdue.list(null)
  const known = new Map(turn.said.map((said) => [said.id, said]))
  const isDue = ({ id }: Overdue) => (known.get(id)?.at ?? Number.NEGATIVE_INFINITY) + againMs <= at
  const due = found.filter(isDue)
  const sayable = due.slice(0, linesMax)
  const there = new Set(found.map(({ id }) => id))
  const over = turn.said.filter(({ id }) => !there.has(id))
  if (sayable.length === 0 && over.length === 0) return true
  const fresh = sayable.map(({ id, kind, chainId }) => ({ id, kind, chainId, at }))
  const isFresh = new Set(fresh.map(({ id }) => id))
  const standing = turn.said.filter(({ id }) => there.has(id) && !isFresh.has(id))
  if (!(await overdueReports.save({ ...turn, said: [...standing, ...fresh] }))) return false
  for (const each of sayable) listeners.onOverdue(each, known.has(each.id))
  if (due.length > sayable.length) listeners.onMore(due.length - sayable.length)
  for (const said of over) listeners.onOver(said)
  return true
}
