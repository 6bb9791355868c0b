import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../../data/api'
import { clock } from '../../data/format'
import { useHere } from '../../data/session'
import { useRead } from '../../data/use-read'
import { useThrottledRefresh } from '../../live/live'
import { Copy } from '../../ui/copy'
import { Loaded } from '../../ui/loaded'
import { Bones, Note, Trouble } from '../../ui/parts'
import { answerWords, type Delivery, type DeliveryDetail, type Endpoint, pathOf } from '../webhooks/endpoint-data'
import { DeliveryState } from '../webhooks/states'

const listen = 'npx switchyard listen --forward http://localhost:4242/hooks'
const pollMs = 2_000
const shownMax = 8

/** Returns the endpoint to show: the receiver of the sandbox, or else one that gets events. */
export const firstEndpoint = (endpoints: readonly Endpoint[], receiverUrl: string | null): Endpoint | null =>
  endpoints.find(({ url, enabled }) => enabled && url === receiverUrl) ??
  endpoints.find(({ enabled }) => enabled) ??
  endpoints[0] ??
  null

type Props = { endpoint: Endpoint | null; receiverUrl: string | null }
/** Webhooks as they arrive. A sandbox has its own receiver; elsewhere the person brings an endpoint or a laptop. */
export const ReceiveWebhooks = ({ endpoint, receiverUrl }: Props) =>
  endpoint ? (
    <Arriving endpoint={endpoint} isOurs={endpoint.url === receiverUrl} />
  ) : receiverUrl === null ? (
    <Bring />
  ) : (
    <AddReceiver url={receiverUrl} />
  )

const Bring = () => (
  <div className="stack">
    <p className="small">
      Add an endpoint under <Link href="/webhooks">Webhooks</Link>. Until your server is reachable on the Internet, this
      command forwards signed events to your own machine:
    </p>
    <div className="secret">
      <pre className="code breaks" tabIndex={0}>
        {listen}
      </pre>
      <Copy value={listen} what="command" />
    </div>
  </div>
)

function AddReceiver({ url }: { url: string }) {
  const { organization, isAdmin } = useHere()
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: () => ask('/webhook-endpoints', { body: { url, description: 'Receiver of the start page' } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', organization.id] }),
  })
  return (
    <div className="stack">
      <p className="small">
        Switchyard posts each event to your server, signed. This installation runs on test chains and has its own
        receiver: you can see webhooks arrive before you have a server.
      </p>
      <Trouble error={add.error} />
      {isAdmin ? (
        <div>
          <Button size="sm" loading={add.isPending} onClick={() => add.mutate()}>
            Receive webhooks here
          </Button>
        </div>
      ) : (
        <p className="small sub">Ask an owner or admin of {organization.name} to add an endpoint.</p>
      )}
    </div>
  )
}

/** The newest deliveries of an endpoint, while they happen. */
function Arriving({ endpoint: { id, url, enabled }, isOurs }: { endpoint: Endpoint; isOurs: boolean }) {
  const newest = useRead<Delivery[]>(['webhooks', id, 'newest'], pathOf(id, `/deliveries?limit=${shownMax}`), {
    refetchInterval: pollMs,
  })
  useThrottledRefresh(
    () => true,
    () => void newest.refetch(),
  )
  return (
    <div className="stack tight">
      <p className="small wrap">
        {isOurs ? (
          'Events are posted to the receiver of this installation.'
        ) : (
          <>
            Events are posted to <span className="strong">{url}</span>.
          </>
        )}{' '}
        <Link href={`/webhooks/${id}`}>Endpoint</Link>
      </p>
      {!enabled && <Note tone="warn">This endpoint is disabled, so no event is posted to it.</Note>}
      <Loaded of={newest} bones={<Bones rows={2} />}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <p className="small">
              <span className="pill t-info is-busy" role="status">
                Waiting for the first event
              </span>{' '}
              It comes with the deposit.
            </p>
          ) : (
            <>
              <ul className="stack tight" aria-label="Webhooks that arrived">
                {deliveries.map((delivery) => (
                  <Line key={delivery.id} delivery={delivery} />
                ))}
              </ul>
              <SignedHeaders endpointId={id} deliveries={deliveries} />
            </>
          )
        }
      </Loaded>
    </div>
  )
}

const Line = ({ delivery: { status, type, lastAttempt, deliveredAt } }: { delivery: Delivery }) => (
  <li className="row small">
    <DeliveryState status={status} />
    <span className="mono">{type}</span>
    <span className="sub">
      {deliveredAt ? `arrived at ${clock(Date.parse(deliveredAt))}` : answerWords(lastAttempt)}
    </span>
  </li>
)

type SignedProps = { endpointId: string; deliveries: readonly Delivery[] }
/** The headers of the newest delivery that was sent, loaded once they are opened. */
function SignedHeaders({ endpointId, deliveries }: SignedProps) {
  const [isOpen, setOpen] = useState(false)
  const sent = deliveries.find(({ lastAttempt }) => lastAttempt !== null)
  const query = useRead<DeliveryDetail>(
    ['webhooks', endpointId, 'delivery', sent?.id],
    pathOf(endpointId, `/deliveries/${sent?.id}`),
    { enabled: isOpen && sent !== undefined },
  )
  if (!sent) return null
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="small strong">Signed headers of {sent.type}</summary>
      <div className="stack tight" style={{ paddingTop: 12 }}>
        {isOpen && (
          <Loaded of={query} bones={<Bones rows={2} />}>
            {({ allAttempts }) => (
              <pre className="code breaks" tabIndex={0}>
                {Object.entries(allAttempts.at(-1)?.sentHeaders ?? {})
                  .map(([name, value]) => `${name}: ${value}`)
                  .join('\n')}
              </pre>
            )}
          </Loaded>
        )}
        <p className="small">
          <Link href={`/webhooks/${endpointId}/deliveries/${sent.id}`}>Open the delivery</Link>
        </p>
      </div>
    </details>
  )
}
