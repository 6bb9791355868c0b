import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { RequestView } from '../../../http/dashboard/keys'
import { ask } from '../../data/api'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { Copy } from '../../ui/copy'
import { ListView } from '../../ui/list-view'
import { Empty, Page } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { useKeys } from './keys'

const toneOf = (status: number): string => (status < 400 ? 'ok' : status < 500 ? 'warn' : 'bad')

/** A key's newest hundred requests, with responses and durations. */
export default function KeyRequests({ params }: { params: { id: string } }) {
  const { organization } = useHere()
  const key = ifLoaded(useKeys(), (keys) => keys.find(({ id }) => id === params.id))
  const requests = useQuery({
    queryKey: ['key requests', organization.id, params.id],
    queryFn: () => ask<RequestView[]>(`/keys/${encodeURIComponent(params.id)}/requests`),
    refetchInterval: 3_000,
  })
  return (
    <Page
      title={key ? `Requests of ${key.label}` : 'Requests'}
      lead={
        <>
          The newest 100, delayed by about a second. <Link href="/keys">All keys</Link>
        </>
      }
    >
      <ListView
        list={requests}
        label="Requests"
        bones={{ rows: 6 }}
        heads={['Status', 'Request', 'Error', { right: 'Took' }, 'Request id', 'When']}
        empty={
          <Empty icon="key" title="No requests yet">
            <p>Requests made with this key are listed here, including those that were refused.</p>
            <Link href="/start">Make the first one</Link>
          </Empty>
        }
      >
        {(each) => (
          <tr key={`${each.requestId}${each.at}`}>
            <td>
              <span className={`pill t-${toneOf(each.status)}`}>{each.status}</span>
            </td>
            <td className="mono">
              {each.method} {each.path}
            </td>
            <td className={`sub ${each.errorCode ? '' : 'fold-away'}`}>{each.errorCode}</td>
            <td className={`right num ${each.errorCode ? '' : 'to-left'}`}>{each.durationMs.toFixed(1)} ms</td>
            <td className="mono fold-away">
              <span className="row keep id-cell">
                {each.requestId} <Copy value={each.requestId} what="request id" />
              </span>
            </td>
            <td className={each.errorCode ? 'to-left' : ''}>
              <Ago at={each.at} />
            </td>
          </tr>
        )}
      </ListView>
    </Page>
  )
}
