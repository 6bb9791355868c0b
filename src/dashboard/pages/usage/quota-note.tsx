import { Link, useLocation } from 'wouter'
import { grouped } from '../../data/format'
import { ifLoaded } from '../../data/read'
import { stateName } from '../../data/state-name'
import { useRead } from '../../data/use-read'
import { Note } from '../../ui/parts'
import type { RoutesAnswer, UsageAnswer } from './usage-figures'

/** @param path Null while there is no request. It is in the key, so no other answer is shown then. */
function useAnswer<Answer>(path: string | null) {
  return useRead<Answer>(['usage', path], path!, { refetchInterval: 30_000, enabled: path !== null })
}
export const useUsage = (query: string | null = '') => useAnswer<UsageAnswer>(query === null ? null : `/usage${query}`)
export const useRoutes = (query: string | null) =>
  useAnswer<RoutesAnswer>(query === null ? null : `/usage/routes${query}`)

/** Warns when 80 % of the month's executions are used, and again when all are. */
export function QuotaNote() {
  const usage = useUsage()
  const [place] = useLocation()
  const quota = ifLoaded(usage, (answer) => answer.quota)
  if (!quota || quota.limit === null || quota.used < quota.limit * 0.8) return null
  const isOver = quota.used >= quota.limit
  const resets = new Date(quota.resetsAt).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  })
  return (
    <Note tone={isOver ? 'bad' : 'warn'} role="status">
      <span className="strong">
        {isOver ? 'The month’s executions are used up' : 'Most of the month’s executions are used'}:{' '}
        {grouped(quota.used)} of {grouped(quota.limit)}.
      </span>{' '}
      {isOver
        ? `New deposits end as ${stateName('QUOTA_EXCEEDED')}; their money stays safe in the deposit accounts. Move to a larger plan, or wait until ${resets} (UTC).`
        : `The count starts again on ${resets} (UTC).`}{' '}
      {place !== '/usage' && <Link href="/usage">See usage</Link>}
    </Note>
  )
}
