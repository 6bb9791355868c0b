import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ask } from '../../data/api'
import { duration, exact, shortId } from '../../data/format'
import { useHere } from '../../data/session'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Unread } from '../../ui/loaded'
import { Bones, Card, Facts, Page, Trouble } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { showToast } from '../../ui/toast'
import { answerWords, type DeliveryDetail, pathOf, pollMs } from './endpoint-data'
import { type Resent, resentWords } from './resend'
import { DeliveryState, NextAttempt } from './states'

type Params = { params: { id: string; delivery: string } }

/** One event's delivery to one endpoint: the body, and the response to each attempt. */
export default function WebhookDelivery({ params: { id, delivery: deliveryId } }: Params) {
  const { organization, isAdmin } = useHere()
  const client = useQueryClient()
  const queryKey = ['webhooks', organization.id, id, 'delivery', deliveryId]
  const query = useQuery({
    queryKey,
    queryFn: () => ask<DeliveryDetail>(pathOf(id, `/deliveries/${encodeURIComponent(deliveryId)}`)),
    refetchInterval: pollMs,
  })
  const resend = useMutation({
    mutationFn: (eventId: string) => ask<Resent>(pathOf(id, '/resend'), { body: { eventId } }),
    onSuccess: (resent) => {
      if (resent.scheduled > 0) showToast(resentWords(resent))
      else showToast('It is already being sent.', 'info')
      void client.invalidateQueries({ queryKey })
    },
  })
  const delivery = query.data
  return (
    <Page
      title={delivery ? delivery.type : 'Delivery'}
      actions={
        <>
          {isAdmin && delivery && (
            <Button size="sm" loading={resend.isPending} onClick={() => resend.mutate(delivery.eventId)}>
              Resend
            </Button>
          )}
          <Link href={`/webhooks/${id}`}>All deliveries</Link>
        </>
      }
    >
      <Unread of={query} />
      <Trouble error={resend.error} />
      {query.isPending && (
        <div className="card empty-space">
          <Bones rows={8} />
        </div>
      )}
      {delivery && (
        <>
          <DeliveryFacts delivery={delivery} />
          <Attempts delivery={delivery} />
          <Body text={delivery.body} />
        </>
      )}
    </Page>
  )
}

type Fact = [string, ReactNode]

const DeliveryFacts = ({ delivery }: { delivery: DeliveryDetail }) => {
  const { status, eventId, attempts, createdAt, deliveredAt, nextAttemptAt, body } = delivery
  const subject = subjectOf(body)
  const about: Fact[] = subject
    ? [
        [
          subject.what,
          <Link key="subject" href={subject.href} className="wrap">
            {subject.label}
          </Link>,
        ],
      ]
    : []
  return (
    <Card label="Delivery">
      <Facts
        rows={[
          ['Status', <DeliveryState key="status" status={status} />],
          [
            'Event id (webhook-id)',
            <span className="row keep id-cell" key="event">
              <Hash value={eventId} kind="event" shown={eventId} />
              <Copy value={eventId} what="event id" />
            </span>,
          ],
          ...about,
          ['Attempts', attempts],
          ['Created', <Ago key="taken up" at={createdAt} />],
          // A delivery that is sent again was accepted before.
          ...(deliveredAt || !nextAttemptAt
            ? [['Accepted', <Ago key="accepted" at={deliveredAt} />] satisfies Fact]
            : []),
          ...(nextAttemptAt ? [['Next attempt', <NextAttempt key="next" at={nextAttemptAt} />] satisfies Fact] : []),
        ]}
      />
    </Card>
  )
}

function Attempts({ delivery: { allAttempts, attempts } }: { delivery: DeliveryDetail }) {
  const dropped = attempts - allAttempts.length
  return (
    <Card
      title="Attempts"
      side={dropped > 0 && <span className="sub tiny">{dropped} earlier ones are not stored</span>}
    >
      {allAttempts.length === 0 ? (
        <p className="sub small">It has not been sent yet.</p>
      ) : (
        <Table heads={['Attempt', 'When', 'Response', { right: 'Took' }]} kind="folds" label="Attempts">
          {allAttempts.map((attempt, n) => (
            <tr key={attempt.at}>
              <td className="num" data-label="Attempt">
                {dropped + n + 1}
              </td>
              <td>{exact(Date.parse(attempt.at))}</td>
              <td className="whole">
                <Exchange attempt={attempt} isOpen={n === allAttempts.length - 1} />
              </td>
              <td className="right num">{duration(attempt.durationMs)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

type ExchangeProps = { attempt: DeliveryDetail['allAttempts'][number]; isOpen: boolean }
/** The response to an attempt, and the headers that were sent. Attempts of earlier releases stored neither. */
function Exchange({ attempt, isOpen }: ExchangeProps) {
  const { responseText, sentHeaders } = attempt
  if (responseText === null && sentHeaders === null) return answerWords(attempt)
  return (
    <details open={isOpen}>
      <summary>{answerWords(attempt)}</summary>
      {responseText !== null && (
        <>
          <div className="sub tiny">Response</div>
          {responseText === '' ? (
            <p className="sub small">The response had no body.</p>
          ) : (
            <pre className="code breaks" tabIndex={0}>
              {responseText}
            </pre>
          )}
        </>
      )}
      {sentHeaders !== null && (
        <>
          <div className="sub tiny">Headers sent</div>
          <pre className="code breaks" tabIndex={0}>
            {Object.entries(sentHeaders)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </pre>
        </>
      )}
    </details>
  )
}

/** The body, formatted for reading. Copying gives the signed bytes. */
const Body = ({ text }: { text: string }) => (
  <Card title="Body" side={<Copy value={text} what="body as it was signed" />}>
    <pre className="code" tabIndex={0} style={{ maxHeight: 420 }}>
      {JSON.stringify(JSON.parse(text), null, 2)}
    </pre>
  </Card>
)

/** The subject of an event, and the page that shows it. */
type Subject = { what: string; label: string; href: string }

type EventBody = { type: string; seq: number | null; data: { id?: unknown; userId?: unknown } }

/**
 * Returns the page of an event's subject; null if there is none. A real event of an execution or a deposit has a
 * sequence number, `seq`. A sample has none, because its subject is invented.
 */
export function subjectOf(body: string): Subject | null {
  const { type, seq, data } = JSON.parse(body) as EventBody
  const id = typeof data?.id === 'string' ? data.id : null
  const userId = typeof data?.userId === 'string' ? data.userId : null
  const isReal = seq !== null && id !== null
  switch (type.slice(0, type.indexOf('.'))) {
    case 'execution':
      return isReal ? { what: 'Execution', label: shortId(id), href: `/executions/${encodeURIComponent(id)}` } : null
    case 'deposit':
      return isReal ? { what: 'Deposit', label: shortId(id), href: `/deposits/${encodeURIComponent(id)}` } : null
    case 'intent':
      return userId ? { what: 'Intent of', label: userId, href: `/address?user=${encodeURIComponent(userId)}` } : null
    case 'quota':
      return { what: 'Quota', label: 'Usage', href: '/usage' }
    case 'api_key':
      return { what: 'API key', label: 'API keys', href: '/keys' }
    case 'webhook_endpoint':
      return id ? { what: 'Endpoint', label: id, href: `/webhooks/${encodeURIComponent(id)}` } : null
    default:
      return null
  }
}
