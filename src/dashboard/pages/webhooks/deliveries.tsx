import { Button, Select } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { eventFamilies, eventTypes, testType } from '../../../domain/event-types'
import { deliveryNames, deliveryStatuses } from '../../../domain/webhook/delivery'
import { askFor, queryOf } from '../../data/api'
import { duration, short } from '../../data/format'
import { useHere } from '../../data/session'
import { useFilters } from '../../data/use-filters'
import { Filters } from '../../lists/filters'
import { OrderFilter, orderOf } from '../../lists/order-filter'
import { periodOf } from '../../lists/period'
import { PeriodFilter } from '../../lists/period-filter'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { ListView, SkipToList } from '../../ui/list-view'
import { Figure } from '../../ui/loaded'
import { Card, Empty, Facts } from '../../ui/parts'
import { SearchBox } from '../../ui/search-box'
import { Ago } from '../../ui/time'
import { DeliveryChart } from './delivery-chart'
import { type CountQuery, countWords, notAccepted, successRate, useCounts } from './delivery-counts'
import { answerWords, type Delivery, type Endpoint, pathOf, pollMs } from './endpoint-data'
import { DeliveryState, NextAttempt } from './states'

type Props = { endpoint: Endpoint; onTest: (() => void) | null }

/** An endpoint's deliveries, newest first. */
export function Deliveries({ endpoint: { id, enabled }, onTest }: Props) {
  const { organization } = useHere()
  const { parameters, put, choose } = useFilters()
  const [status, types, searchText] = ['status', 'type', 'q'].map((name) => parameters.get(name))
  const period = periodOf(parameters)
  const text = /^evt_/.test(searchText ?? '') ? { eventId: searchText } : { search: searchText }
  const filter = { status, types, ...period, ...text, order: orderOf(parameters) }
  const list = useInfiniteQuery({
    queryKey: ['webhooks', organization.id, id, 'deliveries', filter],
    initialPageParam: `/app/api${pathOf(id, '/deliveries')}${queryOf({ ...filter, limit: 50 })}`,
    queryFn: ({ pageParam, signal }) => askFor<Delivery[]>(pageParam, { signal }),
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: pollMs,
  })
  const isFiltered = parameters.size > 0
  return (
    <>
      <h2>Deliveries</h2>
      <SkipToList />
      <DeliveryFigures id={id} filter={{ types, ...period }} />
      <DeliveryChart id={id} filter={{ types, ...period }} />
      <Filters label="Filter deliveries" kind="is-two">
        <SearchBox
          placeholder="User, execution, hash or event"
          value={searchText ?? ''}
          onSearch={(next) => put('q', next.length < searchMin ? '' : next)}
        />
        <Choice name="type" label="Event" any="Any event" options={typeOptions} />
        <Choice name="status" label="Status" any="Any status" options={statusOptions} />
        <PeriodFilter label="Created" />
        <OrderFilter />
      </Filters>
      <ListView
        list={list}
        label="Deliveries"
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
                <p>The next event is sent immediately. Deliveries are stored for 30 days.</p>
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
      </ListView>
    </>
  )
}

const searchMin = 3
const typeOptions = [...eventFamilies, ...eventTypes, testType].map((value) => ({ value, label: value }))
const statusOptions = [
  { value: notAccepted.join(','), label: 'Not accepted yet' },
  ...deliveryStatuses.map((value) => ({ value, label: `${deliveryNames[value]} (${value})` })),
]

type ChoiceProps = { name: string; label: string; any: string; options: { value: string; label: string }[] }
/** A filter that is stored in the URL. */
function Choice({ name, label, any, options }: ChoiceProps) {
  const { parameters, put } = useFilters()
  return (
    <Select
      label={label}
      placeholder={any}
      data={options}
      value={parameters.get(name)}
      onChange={(value) => put(name, value)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
    />
  )
}

type LineProps = { endpointId: string; isPosted: boolean; delivery: Delivery }
const DeliveryLine = ({ endpointId, isPosted, delivery }: LineProps) => {
  const { id, eventId, type, userId, status, attempts, lastAttempt, createdAt, nextAttemptAt } = delivery
  return (
    <tr>
      <td>
        <DeliveryState status={status} />
      </td>
      <td>
        <Link href={`/webhooks/${endpointId}/deliveries/${id}`} className="rowlink">
          {type}
        </Link>
        {userId && (
          <div className="sub tiny cut" title={userId}>
            {userId}
          </div>
        )}
      </td>
      <td className="mono nowrap">
        <span className="row keep id-cell">
          <Hash value={eventId} kind="event" shown={short(eventId, 8, 6)} />
          <Copy value={eventId} what="event id" />
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

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, roundingMode: 'floor' })

/**
 * How many events of the chosen types and time were accepted, and how fast the newest hundred of them. The search and
 * the status do not narrow the figures.
 */
function DeliveryFigures({ id, filter }: { id: string; filter: CountQuery }) {
  const counts = useCounts(id, filter)
  const count = (...statuses: Parameters<typeof countWords>[1]) => (
    <Figure of={counts}>{(read) => countWords(read, statuses)}</Figure>
  )
  return (
    <Card label="Figures">
      <Facts
        rows={[
          ['Accepted', count('DELIVERED')],
          ['Not accepted yet', count(...notAccepted)],
          ['Of these, being retried', count('RETRYING')],
          ['Not sent yet', count('PENDING')],
          [
            'Success rate',
            <Figure key="rate" of={counts}>
              {(read) => {
                const rate = successRate(read)
                if (rate !== null) return percent.format(rate)
                return <span className="sub">{read.isWhole ? 'nothing was sent' : 'too many to count'}</span>
              }}
            </Figure>,
          ],
          [
            'Response time',
            <Figure key="time" of={counts}>
              {({ responseMs }) =>
                responseMs ? (
                  `${duration(responseMs.median)}, 95 % within ${duration(responseMs.p95)}`
                ) : (
                  <span className="sub">nothing was accepted</span>
                )
              }
            </Figure>,
          ],
        ]}
      />
    </Card>
  )
}
