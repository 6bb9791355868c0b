import { Button, Select } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { auditVerbs } from '../../../domain/tenant/audit-verb'
import { ask, askFor, queryOf } from '../../data/api'
import { short, shortId, words } from '../../data/format'
import { useHere } from '../../data/session'
import { Tenant, useTenantName } from '../../data/tenant'
import { useFilters } from '../../data/use-filters'
import { Listed } from '../../ui/listed'
import { Empty, Page } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { sinceOf, spans } from '../executions/execution-filter'
import { scopeName } from '../operations/pause-scopes'
import { verbWord } from './audit-words'

type Entry = {
  id: string
  at: string
  actor: { kind: string; id: string; label: string }
  verb: string
  target: string
  reason: string | null
  details: Record<string, unknown>
  requestId: string | null
  organizationId?: string
}

const verbOptions = auditVerbs
  .map((verb) => ({ value: verb as string, label: verbWord(verb) }))
  .toSorted((a, b) => (a.label < b.label ? -1 : 1))

/** Who did what, and why. Written before it was done; nothing here can be changed. */
export default function Audit() {
  const { organization } = useHere()
  const { parameters, put, choose } = useFilters()
  const nameOf = useTenantName()
  const [verb, actor, time] = ['verb', 'actor', 'time'].map((name) => parameters.get(name))
  const list = useInfiniteQuery({
    queryKey: ['audit', organization.id, verb, actor, time],
    initialPageParam: `/app/api/operator/audit${queryOf({ verb, actor, createdFrom: sinceOf(time), limit: 50 })}`,
    queryFn: ({ pageParam }) => askFor<Entry[]>(pageParam),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const entries = list.data?.pages.flatMap(({ body }) => body) ?? []
  const isFiltered = Boolean(verb || actor || time)
  return (
    <Page
      title="Audit log"
      lead="Who did what, when and why. Entries are written before the act and are never changed."
    >
      <div className="filters is-three" role="search" aria-label="Filter the audit log">
        <Select
          label="What"
          placeholder="Anything"
          data={verbOptions}
          value={verb ?? null}
          onChange={(value) => put('verb', value)}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Clear what' }}
        />
        <Select
          label="Who"
          placeholder="Anybody"
          data={useActors(entries)}
          value={actor ?? null}
          onChange={(value) => put('actor', value)}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Clear who' }}
        />
        <Select
          label="When"
          placeholder="Any time"
          data={Object.entries(spans).map(([value, { label }]) => ({ value, label }))}
          value={time ?? null}
          onChange={(value) => put('time', value)}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear when' }}
        />
      </div>
      <Listed
        list={list}
        rows={entries}
        bones={{ rows: 7 }}
        heads={['When', 'Who', 'What', 'To', 'Why and how']}
        empty={
          <Empty icon="history" title={isFiltered ? 'No entry matches' : 'Nothing has been done yet'}>
            {isFiltered && (
              <Button variant="default" size="sm" onClick={() => choose('')}>
                Clear filters
              </Button>
            )}
          </Empty>
        }
      >
        {({ id, at, actor, verb: what, target, reason, details, organizationId }) => (
          <tr key={id}>
            <td>
              <Ago at={at} />
            </td>
            <td className="cut" title={actor.label}>
              {actor.label}
              <Tenant id={organizationId} />
            </td>
            <td className="strong" title={what}>
              {verbWord(what)}
            </td>
            <td className="mono cut" title={target}>
              {what.startsWith('execution.') ? (
                <Link href={`/executions/${encodeURIComponent(target)}`}>{shortId(target)}</Link>
              ) : what.startsWith('pause.') ? (
                scopeName(target, nameOf)
              ) : (
                shortId(target)
              )}
            </td>
            <td className="small whole wrap">
              {reason && <div>{reason}</div>}
              <span className="sub">{said(details)}</span>
            </td>
          </tr>
        )}
      </Listed>
    </Page>
  )
}

/** Who may have done something: the members, the keys, and whoever stands in the rows. */
function useActors(entries: readonly Entry[]) {
  const { organization } = useHere()
  const members = useQuery({
    queryKey: ['members', organization.id],
    queryFn: () => ask<{ personId: string; email: string }[]>('/members'),
  })
  const keys = useQuery({
    queryKey: ['keys', organization.id],
    queryFn: () => ask<{ id: string; label: string }[]>('/keys'),
  })
  const known = new Map<string, string>()
  for (const { personId, email } of members.data ?? []) known.set(personId, email)
  for (const { id, label } of keys.data ?? []) known.set(id, `Key ${label}`)
  for (const { actor } of entries) if (!known.has(actor.id)) known.set(actor.id, actor.label)
  return [...known].map(([value, label]) => ({ value, label })).toSorted((a, b) => (a.label < b.label ? -1 : 1))
}

const said = (details: Record<string, unknown>): string =>
  Object.entries(details)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${words(name.replace(/([A-Z])/g, ' $1'))}: ${shown(value)}`)
    .join(', ')

function shown(value: unknown): string {
  if (typeof value === 'string' && value.startsWith('0x')) return short(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if ('from' in value && 'to' in value) return `${shown(value.from)} → ${shown(value.to)}`
  if (Array.isArray(value)) return value.map(shown).join(', ')
  return said(value as Record<string, unknown>) || 'none'
}
