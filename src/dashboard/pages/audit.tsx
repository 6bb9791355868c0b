import { Button, Select } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { auditVerbs } from '../../domain/audit-verb'
import { askFor, queryOf } from '../api'
import { shortId } from '../format'
import { useHere } from '../session'
import { Listed } from '../ui/listed'
import { Empty, Page } from '../ui/parts'
import { Ago } from '../ui/time'

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

const said = (details: Record<string, unknown>): string =>
  Object.entries(details)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ')

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const isChange = 'from' in value && 'to' in value
  return isChange ? `${shown(value.from)} → ${shown(value.to)}` : JSON.stringify(value)
}

/** Who did what, and why. Written before it was done; nothing here can be changed. */
export default function Audit() {
  const { organization } = useHere()
  const [parameters, setParameters] = useSearchParams()
  const verb = parameters.get('verb')
  const list = useInfiniteQuery({
    queryKey: ['audit', organization.id, verb],
    initialPageParam: `/app/api/operator/audit${queryOf({ verb, limit: 50 })}`,
    queryFn: ({ pageParam }) => askFor<Entry[]>(pageParam),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const entries = list.data?.pages.flatMap(({ body }) => body) ?? []
  return (
    <Page
      title="Audit log"
      lead="Who did what, when and why. Entries are written before the act and are never changed."
    >
      <Select
        label="Verb"
        placeholder="Any"
        maw={300}
        data={[...auditVerbs]}
        value={verb}
        onChange={(value) => setParameters(value ? { verb: value } : {}, { replace: true })}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'Clear verb' }}
      />
      <Listed
        list={list}
        rows={entries}
        bones={{ rows: 7 }}
        heads={['When', 'Who', 'What', 'To', 'Why and how']}
        empty={
          <Empty icon="history" title={verb ? 'No entry has this verb' : 'Nothing has been done yet'}>
            {verb && (
              <Button variant="default" size="sm" onClick={() => setParameters({})}>
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
            <td className="wrap who">
              {actor.label}
              {organizationId && organization.isPlatform && <div className="sub tiny">{organizationId}</div>}
            </td>
            <td className="strong nowrap">{what}</td>
            <td className="mono cut" title={target}>
              {what.startsWith('execution.') ? (
                <Link href={`/executions/${encodeURIComponent(target)}`}>{shortId(target)}</Link>
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
