import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../../api'
import { useHere } from '../../session'
import { Copy } from '../../ui/copy'
import { Bones, Empty, Page, Trouble } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { useKeys } from './keys'

type Noted = {
  at: string
  requestId: string
  method: string
  path: string
  status: number
  errorCode: string | null
  durationMs: number
}

const toneOf = (status: number): string => (status < 400 ? 'ok' : status < 500 ? 'warn' : 'bad')

/** The newest hundred requests of a key: what was asked, what was answered, how long it took. */
export default function KeyRequests({ params }: { params: { id: string } }) {
  const { organization } = useHere()
  const key = useKeys().data?.find(({ id }) => id === params.id)
  const requests = useQuery({
    queryKey: ['key requests', organization.id, params.id],
    queryFn: () => ask<Noted[]>(`/keys/${encodeURIComponent(params.id)}/requests`),
    refetchInterval: 3_000,
  })
  return (
    <Page
      title={key ? `Requests of ${key.label}` : 'Requests'}
      lead={
        <>
          The newest 100, a second or so behind. <Link href="/keys">All keys</Link>
        </>
      }
    >
      <Trouble error={requests.error} retry={() => void requests.refetch()} />
      <div className="card">
        {requests.isPending ? (
          <div className="empty-space">
            <Bones rows={6} />
          </div>
        ) : !requests.data || requests.data.length === 0 ? (
          <Empty icon="key" title="No requests yet">
            <p>Requests that this key makes are listed here, also those that are refused.</p>
            <Link href="/start">Make the first one</Link>
          </Empty>
        ) : (
          <div className="table-box" role="group" aria-label="Table" tabIndex={0}>
            <table className="table folds">
              <thead>
                <tr>
                  <th>Status</th>
                  <th>Request</th>
                  <th>Error</th>
                  <th className="right">Took</th>
                  <th>Request id</th>
                  <th>When</th>
                </tr>
              </thead>
              <tbody>
                {requests.data.map((each) => (
                  <tr key={`${each.requestId}${each.at}`}>
                    <td>
                      <span className={`pill t-${toneOf(each.status)}`}>{each.status}</span>
                    </td>
                    <td className="mono">
                      {each.method} {each.path}
                    </td>
                    <td className="sub">{each.errorCode ?? ''}</td>
                    <td className="right num">{each.durationMs.toFixed(1)} ms</td>
                    <td className="mono fold-away">
                      <span className="row keep id-cell">
                        {each.requestId} <Copy value={each.requestId} what="request id" />
                      </span>
                    </td>
                    <td>
                      <Ago at={each.at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </Page>
  )
}
