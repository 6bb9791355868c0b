import { sentenceTime } from '../../domain/calendar'
import { chainKeyOf, isChainId } from '../../domain/chain/chain'
import { quotaKeyOf } from '../../domain/execution/execution'
import { attentionStatuses, statuses } from '../../domain/execution/status'
import { plainText } from '../../domain/plain-text'
import { expiringMs, hasEnded } from '../../domain/tenant/api-key'
import { isDeciding } from '../../domain/tenant/member-role'
import type { Notice } from '../../domain/tenant/notices'
import { type Organization, planOf } from '../../domain/tenant/organization'
import { pauseScopes } from '../../domain/tenant/pause-scope'
import type { Executions } from '../../ports/executions'
import type { OverdueNow } from '../../ports/observing'
import type { PauseEntries } from '../../ports/operators'
import type { Member } from '../../ports/people'
import type { ExecutionQueries } from '../../ports/queries'
import type { ApiKeys, HeldChanges } from '../../ports/tenants'

export type FindPorts = {
  heldChanges: Pick<HeldChanges, 'waiting'>
  executionQueries: Pick<ExecutionQueries, 'list'>
  executions: Pick<Executions, 'countQuota'>
  overdue: Pick<OverdueNow, 'list'>
  pauses: Pick<PauseEntries, 'changedSince'>
  apiKeys: Pick<ApiKeys, 'ofOrganization'>
  now: () => number
}

const dayMs = 86_400_000
const endedMax = 1_000
/** Search window for ended executions. It is long enough to find records that were stored late. */
const lateMs = 3_600_000
const oldestDays = 30
const warnings = [80, 100]
const nameMax = 64

/** Finds, from stored data alone, what needs a member's attention. */
export async function findNotices(
  ports: FindPorts,
  organization: Organization,
  members: readonly Member[],
): Promise<Notice[]> {
  const notices = await Promise.all([
    heldOf(ports, organization),
    endedOf(ports, organization),
    waitingOf(ports, organization),
    quotaOf(ports, organization),
    keysOf(ports, organization),
    pausesOf(ports, organization),
  ])
  return [...notices.flat(), ...appointedOf(ports, members)]
}

/** The text names no person, because it can outlive a deleted account. */
function appointedOf({ now }: FindPorts, members: readonly Member[]): Notice[] {
  const since = now() - dayMs
  return members.flatMap(({ personId, role, appointed }): Notice[] => {
    if (!appointed || appointed.at < since || !isDeciding(role)) return []
    const text = `A member became ${role} on ${sentenceTime(appointed.at)}. Owners and admins can set recipients and approve changes.`
    return [{ id: `appointed:${personId}:${appointed.at}`, kind: 'MEMBER_APPOINTED', text }]
  })
}

async function heldOf({ heldChanges }: FindPorts, { id: organizationId }: Organization): Promise<Notice[]> {
  return (await heldChanges.waiting(organizationId)).map(({ id, target, askedAt, from }) => {
    const until = from === null ? 'until a second member approves it' : `until ${sentenceTime(from)}`
    const text = `Deposits to ${id} will go to ${target.targetAddress}. The change waits ${until}.`
    return { id: `held:${id}:${askedAt}`, kind: 'CHANGE_HELD', text }
  })
}

async function endedOf({ executionQueries, now }: FindPorts, { id: organizationId }: Organization): Promise<Notice[]> {
  const at = now()
  const filter = { organizationId, status: attentionStatuses, superseded: false }
  const since = { createdFrom: at - oldestDays * dayMs, completedFrom: at - lateMs }
  const rows = await executionQueries.list({ ...filter, ...since }, { limit: endedMax })
  return rows.map(({ id, status }) => ({
    id: `ended:${id}`,
    kind: 'EXECUTION_ENDED',
    text: `${id}: ${status}. ${statuses[status!].description}`,
  }))
}

async function waitingOf({ overdue }: FindPorts, { id }: Organization): Promise<Notice[]> {
  const late = await overdue.list(id)
  return late.map((one) => ({
    id: `waits:${one.id}`,
    kind: 'EXECUTION_WAITS',
    text: `${one.executionId ?? one.depositId}: ${one.message}`,
  }))
}

async function quotaOf({ executions, now }: FindPorts, organization: Organization): Promise<Notice[]> {
  const most = planOf(organization).monthlyExecutions
  if (most === null) return []
  const key = quotaKeyOf(organization.id, now())
  const used = await executions.countQuota(key)
  const reached = warnings.findLast((percent) => used * 100 >= most * percent)
  if (reached === undefined) return []
  const text = `${used} of the ${most} executions of this month have been used.`
  return [{ id: `quota:${key}:${reached}`, kind: 'QUOTA', text }]
}

async function keysOf({ apiKeys, now }: FindPorts, { id }: Organization): Promise<Notice[]> {
  const at = now()
  return (await apiKeys.ofOrganization(id)).flatMap((key): Notice[] => {
    const { expiresAt = null } = key
    if (expiresAt === null || hasEnded(key, at) || key.revokedAt !== expiresAt || expiresAt - at > expiringMs) return []
    const text = `The API key ${plainText(key.label, nameMax)} stops working on ${sentenceTime(expiresAt)}.`
    return [{ id: `key:${key.id}`, kind: 'KEY_EXPIRES', text }]
  })
}

const chainScope = /^chain:(\d+)$/
function pausedOf(scope: string, { id }: Organization): string | null {
  if (scope === pauseScopes.organization(id)) return 'Routing of this organization is paused.'
  if (scope === pauseScopes.tenant(id)) return 'The platform has paused the routing of this organization.'
  if (scope === pauseScopes.all) return 'The platform has paused all routing.'
  const chainId = Number(chainScope.exec(scope)?.[1])
  // The pause of a chain that this release no longer has stops nothing.
  return isChainId(chainId) ? `The platform has paused ${chainKeyOf(chainId)}.` : null
}

async function pausesOf({ pauses, now }: FindPorts, organization: Organization): Promise<Notice[]> {
  return (await pauses.changedSince(0)).flatMap(({ id, createdAt, resumedAt, until }): Notice[] => {
    const what = pausedOf(id, organization)
    if (what === null || resumedAt !== null || (until !== null && until <= now())) return []
    const text = `${what} Deposits are still found, but they wait.`
    return [{ id: `paused:${id}:${createdAt}`, kind: 'PAUSED', text }]
  })
}
