import { TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link, useSearchParams } from 'wouter'
import { askFor, queryOf } from '../api'
import { shortId } from '../format'
import { useHere } from '../session'
import { LoadMore } from '../ui/load-more'
import { Bones, Empty, Page, Trouble } from '../ui/parts'
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
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ')

/** Who did what, and why. Written before it was done; nothing here can be changed. */
export default function Audit() {
  const { organization } = useHere()
  const [parameters, setParameters] = useSearchParams()
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
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
      <TextInput
        label="Verb"
        placeholder="key.create"
        maw={300}
        defaultValue={verb ?? ''}
        onChange={(event) => {
          const value = event.currentTarget.value.trim()
          clearTimeout(typing.current)
          typing.current = setTimeout(() => setParameters(value ? { verb: value } : {}, { replace: true }), 400)
        }}
      />
      <Trouble error={list.error} retry={() => void list.refetch()} />
      <div className="card">
        {list.isPending ? (
          <div className="empty-space">
            <Bones rows={7} />
          </div>
        ) : entries.length === 0 ? (
          <Empty icon="history" title={verb ? 'No entry has this verb' : 'Nothing has been done yet'} />
        ) : (
          <div className="table-box" role="group" aria-label="Table" tabIndex={0}>
            <table className="table folds">
              <thead>
                <tr>
                  <th>When</th>
                  <th>Who</th>
                  <th>What</th>
                  <th>To</th>
                  <th>Why and how</th>
                </tr>
              </thead>
              <tbody>
                {entries.map(({ id, at, actor, verb: what, target, reason, details, organizationId }) => (
                  <tr key={id}>
                    <td>
                      <Ago at={at} />
                    </td>
                    <td className="wrap">
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
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
      <LoadMore list={list} />
    </Page>
  )
}
