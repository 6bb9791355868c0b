import type { Overdue, OverdueNow, OverdueReports, ReportedOverdue } from '../../ports/observing'

/** The lines written to the log. */
export type OverdueListeners = {
  /** The item became overdue, or still is after a long while. */
  onOverdue: (overdue: Overdue, isAgain: boolean) => void
  /** The item moved, ended, or is healthy again. */
  onOver: (said: ReportedOverdue) => void
  /** Number of overdue items beyond those reported one by one. */
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
/** Number of lines written at a time. When everything is stuck, the count is more useful than a thousand lines. */
const linesMax = 20

/**
 * Reports what became overdue once, repeats it hourly while it lasts, and reports its end once. The first process to
 * claim an interval reports for all. A report is stored before it is logged, so a process that dies between the two
 * delays a report by an hour.
 *
 * @returns Whether this process claimed the interval.
 */
export async function reportOverdue(
  { overdueReports, overdue, listeners, now }: Ports,
  before: () => Promise<unknown> = async () => {},
): Promise<boolean> {
  const at = now()
  const overdueReport = (await overdueReports.load(reportId)) ?? { id: reportId, version: 0, at: 0, said: [] }
  if (overdueReport.at + reportEveryMs > at) return false
  const turn = await overdueReports.save({ ...overdueReport, at })
  if (!turn) return false
  await before()

  const overdues = await overdue.list(null)
  const reported = new Map(turn.said.map((reportedOverdue) => [reportedOverdue.id, reportedOverdue]))
  const isDue = ({ id }: Overdue) => (reported.get(id)?.at ?? Number.NEGATIVE_INFINITY) + againMs <= at
  const due = overdues.filter(isDue)
  const sayable = due.slice(0, linesMax)
  const there = new Set(overdues.map(({ id }) => id))
  const over = turn.said.filter(({ id }) => !there.has(id))
  if (sayable.length === 0 && over.length === 0) return true
  const fresh = sayable.map(({ id, kind, chainId }) => ({ id, kind, chainId, at }))
  const isFresh = new Set(fresh.map(({ id }) => id))
  const reportedOverdues = turn.said.filter(({ id }) => there.has(id) && !isFresh.has(id))
  if (!(await overdueReports.save({ ...turn, said: [...reportedOverdues, ...fresh] }))) return false
  for (const each of sayable) listeners.onOverdue(each, reported.has(each.id))
  if (due.length > sayable.length) listeners.onMore(due.length - sayable.length)
  for (const said of over) listeners.onOver(said)
  return true
}
