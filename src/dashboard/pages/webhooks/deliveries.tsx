import { Button, Select } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { deliveryStatuses } from '../../../domain/webhook/delivery'
import { askFor, queryOf } from '../../data/api'
import { short } from '../../data/format'
import { useHere } from '../../data/session'
import { useFilters } from '../../data/use-filters'
import { Copy } from '../../ui/copy'
import { Listed } from '../../ui/listed'
import { Empty } from '../../ui/parts'
import { SearchBox } from '../../ui/search-box'
import { Ago } from '../../ui/time'
import { answerWords, type Delivery, type Endpoint, lookMs, pathOf } from './endpoint-data'
import { DeliveryState, NextAttempt } from './states'

type Props = { endpoint: Endpoint; onTest: (() => void) | null }

/** An endpoint's deliveries, newest first. */
export function Deliveries({ endpoint: { id, enabled }, onTest }: Props) {
  const { organization } = useHere()
  const { parameters, put, choose } = useFilters()
  const [status, eventId] = ['status', 'event'].map((name) => parameters.get(name))
  const list = useInfiniteQuery({
    queryKey: ['webhooks', organization.id, id, 'deliveries', status, eventId],
    initialPageParam: `/app/api${pathOf(id, '/deliveries')}${queryOf({ status, eventId, limit: 50 })}`,
    queryFn: ({ pageParam, signal }) => askFor<Delivery[]>(pageParam, { signal }),
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: lookMs,
  })
  const isFiltered = Boolean(status || eventId)
  return (
    <>
      <h2>Deliveries</h2>
      <div className="filters is-two" role="search" aria-label="Filter deliveries">
        <SearchBox placeholder="Event id (evt_…)" value={eventId ?? ''} onSearch={(sought) => put('event', sought)} />
        <Select
          label="Status"
          placeholder="Any status"
          data={[...deliveryStatuses]}
          value={status ?? null}
          onChange={(value) => put('status', value)}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear status' }}
        />
      </div>
      <Listed
        list={list}
        bones={{ rows: 5, height: 22 }}
        heads={['Status', 'Event', 'Event id', { right: 'Attempts' }, 'Last response', 'Created', 'Next attempt']}
        empty={
          <Empty icon="inbox" title={isFiltered ? 'No delivery matches' : 'No deliveries yet'}>
            {isFiltered ? (
              <Button variant="default" size="sm" onClick={() => choose('')}>
                Clear filters
              </Button>
            ) : (
              <>
                <p>The next event is sent immediately. Deliveries are kept for 30 days.</p>
                {onTest && (
                  <Button variant="default" size="sm" onClick={onTest}>
                    Send a test
                  </Button>
                )}
              </>
            )}
          </Empty>
        }
      >
        {(delivery) => <DeliveryLine key={delivery.id} endpointId={id} isPosted={enabled} delivery={delivery} />}
      </Listed>
    </>
  )
}

type LineProps = { endpointId: string; isPosted: boolean; delivery: Delivery }
const DeliveryLine = ({ endpointId, isPosted, delivery }: LineProps) => {
  const { id, eventId, type, status, attempts, lastAttempt, createdAt, nextAttemptAt } = delivery
  return (
    <tr>
      <td>
        <DeliveryState status={status} />
      </td>
      <td>
        <Link href={`/webhooks/${endpointId}/deliveries/${id}`} className="rowlink">
          {type}
        </Link>
      </td>
      <td className="mono nowrap">
        <span className="row keep id-cell" title={eventId}>
          {short(eventId, 8, 6)} <Copy value={eventId} what="event id" />
        </span>
      </td>
      <td className="right num" data-label="Attempts">
        {attempts}
      </td>
      <td className="small">{answerWords(lastAttempt)}</td>
      <td>
        <Ago at={createdAt} />
      </td>
      <td className={nextAttemptAt === null ? 'fold-away' : ''} data-label="Next">
        {nextAttemptAt === null ? (
          <span className="sub">none</span>
        ) : isPosted ? (
          <NextAttempt at={nextAttemptAt} />
        ) : (
          <span className="sub">once enabled</span>
        )}
      </td>
    </tr>
  )
}
