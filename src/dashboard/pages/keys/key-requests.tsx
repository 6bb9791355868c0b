import { Switch } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { RequestView } from '../../../http/dashboard/keys'
import { askFor, queryOf } from '../../data/api'
import { choicesOf } from '../../data/read'
import { useHere } from '../../data/session'
import { useFilters } from '../../data/use-filters'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { ListView } from '../../ui/list-view'
import { Code, Empty, Page, Url } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { useKeys } from './keys'

const toneOf = (status: number): string => (status < 400 ? 'ok' : status < 500 ? 'warn' : 'bad')
/** In place of a key's id. */
const every = 'all'

const pageSize = 50

/** The stored requests of a key, or of all keys, with responses and durations. */
export default function KeyRequests({ params: { id } }: { params: { id: string } }) {
  const { organization } = useHere()
  const { parameters, put } = useFilters()
  const isEvery = id === every
  const keys = choicesOf(useKeys())
  const labelOf = (keyId: string) => keys.find((key) => key.id === keyId)?.label
  const areRefused = parameters.has('refused')
  const path = isEvery ? '/requests' : `/keys/${encodeURIComponent(id)}/requests`
  const requests = useInfiniteQuery({
    queryKey: ['key requests', organization.id, id, areRefused],
    initialPageParam: `/app/api${path}${queryOf({ limit: pageSize, refused: areRefused ? 'true' : null })}`,
    queryFn: ({ pageParam, signal }) => askFor<RequestView[]>(pageParam, { signal }),
    getNextPageParam: ({ next }) => next ?? undefined,
    // Every page that is loaded would be read again.
    refetchInterval: ({ state: { data } }) => (data && data.pages.length > 1 ? false : 3_000),
  })
  const of = isEvery ? 'all keys' : labelOf(id)
  return (
    <Page
      title={of ? `Requests of ${of}` : 'Requests'}
      lead={
        <>
          The newest 100 of each key, delayed by about a second.{' '}
          {!isEvery && <Link href={`/keys/${every}`}>Of all keys</Link>} <Link href="/keys">All keys</Link>
        </>
      }
      actions={
        <Switch
          label="Only refused"
          checked={areRefused}
          onChange={(event) => put('refused', event.currentTarget.checked ? 'yes' : null)}
        />
      }
    >
      <ListView
        list={requests}
        label="Requests"
        bones={{ rows: 6 }}
        heads={['Status', 'Request', 'Error', { right: 'Took' }, 'Request id', 'When']}
        empty={<NoRequests areRefused={areRefused} />}
      >
        {(each) => (
          <tr key={`${each.keyId} ${each.requestId} ${each.at}`}>
            <td>
              <span className={`pill t-${toneOf(each.status)}`}>{each.status}</span>
            </td>
            <td>
              <span className="mono">
                {each.method} <Url>{each.path}</Url>
              </span>
              {isEvery && (
                <div className="tiny">
                  <Link href={`/keys/${each.keyId}`}>{labelOf(each.keyId) ?? each.keyId}</Link>
                </div>
              )}
            </td>
            <td className={`sub ${each.errorCode ? '' : 'fold-away'}`}>
              {each.errorCode && <Code>{each.errorCode}</Code>}
            </td>
            <td className={`right num ${each.errorCode ? '' : 'to-left'}`}>{each.durationMs.toFixed(1)} ms</td>
            <td className="mono fold-away">
              <span className="row keep id-cell">
                <Hash value={each.requestId} kind="request" />
                <Copy value={each.requestId} what="request id" />
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

const NoRequests = ({ areRefused }: { areRefused: boolean }) =>
  areRefused ? (
    <Empty icon="key" title="No refused request">
      <p>None of the newest 100 requests of each key was refused.</p>
    </Empty>
  ) : (
    <Empty icon="key" title="No requests yet">
      <p>Requests made with a key are listed here, including those that were refused.</p>
      <Link href="/start">Make the first one</Link>
    </Empty>
  )
