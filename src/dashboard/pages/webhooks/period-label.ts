import type { DeliveryPeriods } from '../../../http/webhooks/delivery-periods'

/** Names a day, or an hour with its weekday, which is unique within two days. Both are in UTC. */
export function periodLabel(at: string, step: DeliveryPeriods['step']): string {
  const time = new Date(at)
  if (step === 'DAY') return time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return `${time.toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' })} ${at.slice(11, 16)}`
}
