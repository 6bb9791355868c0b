import type { DeliveryStatus } from '../../../domain/webhook/delivery'
import { Ago } from '../../ui/time'
import type { Endpoint } from './endpoint-data'

type State = Pick<Endpoint, 'enabled' | 'failingSince' | 'lastSuccessAt'>

/** Whether an endpoint is posted to, and how that goes. */
export function EndpointState({ endpoint: { enabled, failingSince, lastSuccessAt } }: { endpoint: State }) {
  if (!enabled) return <span className="pill t-bad">Disabled</span>
  if (failingSince)
    return (
      <span className="pill t-warn">
        Failing <Ago at={failingSince} />
      </span>
    )
  return lastSuccessAt ? <span className="pill t-ok">Working</span> : <span className="pill t-mute">Ready</span>
}

const tones: Record<DeliveryStatus, string> = {
  PENDING: 'info is-busy',
  RETRYING: 'warn is-busy',
  DELIVERED: 'ok',
  FAILED: 'bad',
}
export const DeliveryState = ({ status }: { status: DeliveryStatus }) => (
  <span className={`pill t-${tones[status]}`}>{status}</span>
)
