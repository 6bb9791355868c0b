import { Button, Menu } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useHere } from '../../data/session'
import { Copy } from '../../ui/copy'
import { ListView } from '../../ui/list-view'
import { Empty, Note, Page, Url } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { answerWords, disabledWords, type Endpoint, useEndpoints } from './endpoint-data'
import { type Act, type Doing, EndpointDialogs, EndpointMenuItems } from './endpoint-dialogs'
import { DeliveryState, EndpointState, Types } from './states'

/** The organization's endpoints and their health. */
export default function Webhooks() {
  const { isAdmin } = useHere()
  const endpoints = useEndpoints()
  const [doing, setDoing] = useState<Doing | null>(null)
  const create = <Button onClick={() => setDoing({ what: 'create' })}>Add endpoint</Button>
  return (
    <Page
      title="Webhooks"
      lead="Signed events are sent to your server as they happen, and retried for three days until it accepts them."
      actions={isAdmin && create}
    >
      {!isAdmin && <Note tone="info">You can see deliveries. Owners and admins can change endpoints.</Note>}
      <ListView
        list={endpoints}
        label="Endpoints"
        isOrdered
        bones={{ rows: 3, height: 34 }}
        heads={['State', 'Endpoint', 'Events', 'Last delivery', { hidden: 'Actions' }]}
        empty={<NoEndpoints>{isAdmin && create}</NoEndpoints>}
      >
        {(endpoint) => <Row key={endpoint.id} endpoint={endpoint} onDo={isAdmin ? setDoing : null} />}
      </ListView>
      <EndpointDialogs doing={doing} onDo={setDoing} />
    </Page>
  )
}

const listen = 'npx switchyard listen --forward http://localhost:4242/hooks'

/** The next step while there is no endpoint. Starting out needs none. */
const NoEndpoints = ({ children }: { children: ReactNode }) => (
  <Empty icon="webhook" title="No endpoints yet">
    <p>Add one when your server is reachable on the Internet. Until then, forward signed events to your own machine:</p>
    <div className="secret">
      <pre className="code breaks" tabIndex={0}>
        {listen}
      </pre>
      <Copy value={listen} what="command" />
    </div>
    {children}
  </Empty>
)

function Row({ endpoint, onDo }: { endpoint: Endpoint; onDo: ((doing: Doing) => void) | null }) {
  const { id, url, types, description, disabledReason, lastDelivery } = endpoint
  const act = (what: Act) => onDo?.({ what, endpoint })
  return (
    <tr>
      <td>
        <EndpointState endpoint={endpoint} />
      </td>
      <td className="wrap whole" style={{ minWidth: 190 }}>
        <Link href={`/webhooks/${id}`} className="rowlink wrap">
          <Url>{url}</Url>
        </Link>
        {description && <div className="sub tiny">{description}</div>}
        {disabledReason && <div className="sub tiny">{disabledWords(disabledReason)}</div>}
      </td>
      <td className="mono small wrap whole">
        <Types types={types} />
      </td>
      <td className="to-left" data-label={lastDelivery ? undefined : 'Posted'}>
        {lastDelivery ? (
          <>
            <DeliveryState status={lastDelivery.status} />
            <div className="sub tiny">
              {answerWords(lastDelivery.lastAttempt)}, <Ago at={lastDelivery.createdAt} />
            </div>
          </>
        ) : (
          <Ago at={null} />
        )}
      </td>
      <td className="right">
        {onDo && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="compact-sm" variant="default" aria-label={`Change ${url}`}>
                Change
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <EndpointMenuItems endpoint={endpoint} onAct={act} />
            </Menu.Dropdown>
          </Menu>
        )}
      </td>
    </tr>
  )
}
