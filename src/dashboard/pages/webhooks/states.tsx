import { Fragment } from 'react'
import { type DeliveryStatus, deliveryNames } from '../../../domain/webhook/delivery'
import { brief } from '../../data/format'
import { Named } from '../../ui/status'
import { Ago, useNow } from '../../ui/time'
import type { Endpoint } from './endpoint-data'

type State = Pick<Endpoint, 'enabled' | 'enabledAt' | 'failingSince' | 'lastSuccessAt' | 'lastFailureAt'>

/** Whether nothing was sent to an endpoint since it was enabled or moved. Earlier results do not count. */
export function isUntried({ enabled, enabledAt, lastSuccessAt, lastFailureAt }: Omit<State, 'failingSince'>): boolean {
  const last = [lastSuccessAt, lastFailureAt].flatMap((at) => (at === null ? [] : [Date.parse(at)]))
  return enabled && last.length > 0 && Math.max(...last) < Date.parse(enabledAt)
}

/** Whether an endpoint is enabled, and whether its deliveries succeed. */
export function EndpointState({ endpoint }: { endpoint: State }) {
  const { enabled, failingSince, lastSuccessAt } = endpoint
  const now = useNow()
  if (!enabled) return <span className="pill t-bad">Disabled</span>
  if (failingSince)
    return <span className="pill t-warn">Failing for {brief(Math.max(now - Date.parse(failingSince), 60_000))}</span>
  if (isUntried(endpoint)) return <span className="pill t-mute">Not tried yet</span>
  return lastSuccessAt ? <span className="pill t-ok">Working</span> : <span className="pill t-mute">Ready</span>
}

/** When the next attempt is due. A due attempt that has not begun waits for earlier ones that are slow. */
export function NextAttempt({ at }: { at: string }) {
  const now = useNow()
  const lateMs = now - Date.parse(at)
  if (lateMs < 0) return <Ago at={at} />
  return <span>{lateMs < beginsWithinMs ? 'now' : 'queued behind others'}</span>
}
const beginsWithinMs = 10_000

/** Lists type names without breaking any of them. */
export const Types = ({ types }: { types: readonly string[] }) =>
  types.map((type, n) => (
    <Fragment key={type}>
      {n > 0 && ', '}
      <span className="nowrap">{type}</span>
    </Fragment>
  ))

export const tones: Record<DeliveryStatus, string> = {
  PENDING: 'info',
  RETRYING: 'warn',
  DELIVERED: 'ok',
  FAILED: 'bad',
}
const isUnderWay = (status: DeliveryStatus): boolean => status === 'PENDING' || status === 'RETRYING'
export const DeliveryState = ({ status }: { status: DeliveryStatus }) => (
  <Named code={status} name={deliveryNames[status]} tone={tones[status]} isBusy={isUnderWay(status)} />
)
