import { Fragment } from 'react'
import type { DeliveryStatus } from '../../../domain/webhook/delivery'
import { brief } from '../../data/format'
import { Ago, useNow } from '../../ui/time'
import type { Endpoint } from './endpoint-data'

type State = Pick<Endpoint, 'enabled' | 'failingSince' | 'lastSuccessAt'>

/** Whether an endpoint is enabled, and whether its deliveries succeed. */
export function EndpointState({ endpoint: { enabled, failingSince, lastSuccessAt } }: { endpoint: State }) {
  const now = useNow()
  if (!enabled) return <span className="pill t-bad">Disabled</span>
  if (failingSince)
    return <span className="pill t-warn">Failing for {brief(Math.max(now - Date.parse(failingSince), 60_000))}</span>
  return lastSuccessAt ? <span className="pill t-ok">Working</span> : <span className="pill t-mute">Ready</span>
}

/** When the next attempt is due. A due attempt is made immediately. */
export function NextAttempt({ at }: { at: string }) {
  const now = useNow()
  return Date.parse(at) <= now ? <span>now</span> : <Ago at={at} />
}

/** Lists type names without breaking any of them. */
export const Types = ({ types }: { types: readonly string[] }) =>
  types.map((type, n) => (
    <Fragment key={type}>
      {n > 0 && ', '}
      <span className="nowrap">{type}</span>
    </Fragment>
  ))

const tones: Record<DeliveryStatus, string> = {
  PENDING: 'info is-busy',
  RETRYING: 'warn is-busy',
  DELIVERED: 'ok',
  FAILED: 'bad',
}
export const DeliveryState = ({ status }: { status: DeliveryStatus }) => (
  <span className={`pill t-${tones[status]}`}>{status}</span>
)
