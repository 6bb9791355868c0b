import type { Overdue, OverdueNow, Said, Tellings } from '../../ports/overdue'

/** What the log is told. */
export type OverdueNews = {
  /** It became overdue, or is so still after a long while. */
  onOverdue: (overdue: Overdue, isAgain: boolean) => void
  /** It moved, ended, or is well again. */
  onOver: (said: Said) => void
  /** So many more than are told one by one. */
  onMore: (count: number) => void
}
type Ports = { tellings: Tellings; overdue: Pick<OverdueNow, 'list'>; news: OverdueNews; now: () => number }

const tellingId = 'overdue'
export const tellEveryMs = 15_000
const againMs = 60 * 60_000
/** When everything stands still at once, the count says more than a thousand lines. */
const linesMax = 20

/**
 * Says once what has become overdue, seldom that it still is, and once that it is over: one of all processes does,
 * whoever comes first. What was said is stored before it is said: a process that dies between the two costs an hour.
 *
 * @returns whether it was this one's turn.
 */
export async function tellOverdue(
  { tellings, overdue, news, now }: Ports,
  before: () => Promise<unknown> = async () => {},
): Promise<boolean> {
  const at = now()
  const told = (await tellings.load(tellingId)) ?? { id: tellingId, version: 0, at: 0, said: [] }
  if (told.at + tellEveryMs > at) return false
  const turn = await tellings.save({ ...told, at })
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
  if (!(await tellings.save({ ...turn, said: [...standing, ...fresh] }))) return false
  for (const each of sayable) news.onOverdue(each, known.has(each.id))
  if (due.length > sayable.length) news.onMore(due.length - sayable.length)
  for (const said of over) news.onOver(said)
  return true
}
