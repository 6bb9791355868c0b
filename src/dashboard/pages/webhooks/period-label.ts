import type { DeliveryPeriods } from '../../../http/webhooks/delivery-periods'
import { dayName } from '../../data/format'

/** Names a day, or an hour with its weekday, which is unique within two days. Both are in UTC. */
export const periodLabel = (at: string, step: DeliveryPeriods['step']): string =>
  step === 'DAY'
    ? dayName(at.slice(0, 10))
    : `${new Date(at).toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' })} ${at.slice(11, 16)}`
