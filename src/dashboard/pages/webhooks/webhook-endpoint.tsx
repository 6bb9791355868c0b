import { Button, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { isNotFound } from '../../data/api'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { useRead } from '../../data/use-read'
import { useIncidents } from '../../incidents/use-incidents'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Figure, Unread } from '../../ui/loaded'
import { Bones, Card, Empty, Facts, Note, Page, Trouble, Url } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { Deliveries } from './deliveries'
import { countWords, useCounts } from './delivery-counts'
import { disabledWords, type Endpoint, pollMs } from './endpoint-data'
import { type Act, type Doing, EndpointDialogs, EndpointMenuItems } from './endpoint-dialogs'
import { EndpointState, isUntried, Types } from './states'

/** One endpoint: its health and its deliveries. */
export default function WebhookEndpoint({ params: { id } }: { params: { id: string } }) {
  const { organization, isAdmin } = useHere()
  const [, go] = useLocation()
  const [doing, setDoing] = useState<Doing | null>(null)
  const query = useRead<Endpoint>(['webhooks', id], `/webhooks/${encodeURIComponent(id)}`, {
    refetchInterval: doing ? false : pollMs,
  })
  const endpoint = query.data
  // The strip above the page and the page itself say the same at the same time.
  const isListed = ifLoaded(useIncidents(), ({ endpoints }) => endpoints.some((each) => each.id === id))
  const client = useQueryClient()
  useEffect(() => {
    if (isListed !== undefined) void client.invalidateQueries({ queryKey: ['webhooks', organization.id] })
  }, [client, organization.id, isListed])
  const back = <Link href="/webhooks">All endpoints</Link>
  if (query.error && (!endpoint || isNotFound(query.error)))
    return (
      <Page title="Webhook endpoint" actions={back}>
        {isNotFound(query.error) ? (
          <div className="card">
            <Empty icon="webhook" title="There is no such endpoint">
              <p>It was deleted, or it belongs to another organization.</p>
            </Empty>
          </div>
        ) : (
          <Trouble error={query.error} retry={() => void query.refetch()} />
        )}
      </Page>
    )
  if (!endpoint)
    return (
      <Page title="Webhook endpoint">
        <div className="card empty-space">
          <Bones rows={9} />
        </div>
      </Page>
    )
  const act = (what: Act) => setDoing({ what, endpoint })
  return (
    <Page
      title={new URL(endpoint.url).host}
      lead={endpoint.description}
      actions={
        <>
          {isAdmin && <EndpointActions endpoint={endpoint} onAct={act} />}
          {back}
        </>
      }
    >
      <Unread of={query} />
      <WhatIsWrong endpoint={endpoint} onEnable={isAdmin ? () => act('switch') : null} />
      <EndpointFacts endpoint={endpoint} />
      <Deliveries endpoint={endpoint} onTest={isAdmin ? () => act('test') : null} />
      <EndpointDialogs doing={doing} onDo={setDoing} onGone={() => go('/webhooks')} />
    </Page>
  )
}

const EndpointActions = ({ endpoint, onAct }: { endpoint: Endpoint; onAct: (act: Act) => void }) => (
  <>
    <Button size="sm" variant="default" onClick={() => onAct('test')}>
      Send a test
    </Button>
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="sm" variant="default">
          Change
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <EndpointMenuItems endpoint={endpoint} onAct={onAct} />
      </Menu.Dropdown>
    </Menu>
  </>
)

type WrongProps = { endpoint: Endpoint; onEnable: (() => void) | null }
/** An endpoint's problem, and what to do about it. */
function WhatIsWrong({ endpoint, onEnable }: WrongProps) {
  const { enabled, disabledReason, failingSince } = endpoint
  if (!enabled)
    return (
      <Note tone="bad">
        This endpoint receives no events. {disabledReason && disabledWords(disabledReason)}
        {onEnable ? (
          <div className="row">
            <Button size="compact-sm" variant="default" onClick={onEnable}>
              Enable it
            </Button>
          </div>
        ) : (
          ' An owner or admin can enable it again.'
        )}
      </Note>
    )
  if (isUntried(endpoint)) return <NotTried endpoint={endpoint} />
  if (!failingSince) return null
  return (
    <Note tone="warn">
      Every attempt fails; the first failure was <Ago at={failingSince} />. Each event is tried ten times over about
      three days. After five days without a success the endpoint is disabled.
    </Note>
  )
}

function NotTried({ endpoint: { id, enabledAt } }: { endpoint: Endpoint }) {
  const counts = useCounts(id, {})
  return (
    <Note tone="info" role="status">
      Not tried since it was enabled or moved to this URL, <Ago at={enabledAt} />. Waiting to be sent:{' '}
      <Figure of={counts}>{(read) => countWords(read, ['PENDING', 'RETRYING'])}</Figure>.
    </Note>
  )
}

function EndpointFacts({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, types, lastSuccessAt, lastFailureAt, previousExpiresAt, createdAt } = endpoint
  const overlap: [string, ReactNode][] = previousExpiresAt
    ? [['Old secret stops signing', <Ago key="previous" at={previousExpiresAt} />]]
    : []
  return (
    <Card label="Endpoint">
      <Facts
        rows={[
          [
            'URL',
            <span className="row keep id-cell" key="url">
              <span className="wrap">
                <Url>{url}</Url>
              </span>
              <Copy value={url} what="URL" />
            </span>,
            'wide',
          ],
          ['Events', <Types key="types" types={types} />, 'wide'],
          ['State', <EndpointState key="state" endpoint={endpoint} />],
          ['Last accepted', <Ago key="success" at={lastSuccessAt} />],
          ['Last failure', <Ago key="failure" at={lastFailureAt} />],
          ...overlap,
          ['Created', <Ago key="made" at={createdAt} />],
          [
            'ID',
            <span className="row keep id-cell" key="id">
              <Hash value={id} kind="endpoint" shown={id} />
              <Copy value={id} what="endpoint id" />
            </span>,
          ],
        ]}
      />
    </Card>
  )
}
