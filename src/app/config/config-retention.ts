import { orderDaysLeast, type RetentionDays, retentionDays } from '../../domain/retention'
import { plans } from '../../domain/tenant/organization'
import { integer, optional, otherwise, that } from './env-variable'

const daysMax = 36_500
const days = (value: number, least: number) => otherwise(value, integer(least, daysMax))

const retentionForm = new RegExp(`^(${[...Object.keys(plans), 'custom'].join('|')}):(\\d{1,5})(?::(\\d{1,5}))?$`)
const retentionParts = (text: string) => text.split(',').map((part) => retentionForm.exec(part.trim()))

/** Retention of orders, by plan. */
const orderRetention = that((text) => {
  const parts = retentionParts(text)
  const isOnce = new Set(parts.map((part) => part?.[1])).size === parts.length
  return isOnce && parts.every((part) => part !== null && Number(part[2]) >= orderDaysLeast)
}, `plan:days or plan:days:days in the archive, with commas between several plans, and at least ${orderDaysLeast} days`)

export const retentionVariables = {
  WEBHOOK_RETENTION_DAYS: days(retentionDays.inboundWebhooks, 1),
  ORPHAN_RETENTION_DAYS: days(retentionDays.orphanedSightings, 1),
  USAGE_RETENTION_DAYS: days(retentionDays.requestCounts, 92),
  ORDER_RETENTION: optional(orderRetention),
}

type RetentionValues = {
  [Name in Exclude<keyof typeof retentionVariables, 'ORDER_RETENTION'>]: number
} & { ORDER_RETENTION?: string | undefined }

export const retentionOf = (read: RetentionValues): RetentionDays => ({
  inboundWebhooks: read.WEBHOOK_RETENTION_DAYS,
  orphanedSightings: read.ORPHAN_RETENTION_DAYS,
  requestCounts: read.USAGE_RETENTION_DAYS,
  orders: orderRetentionOf(read.ORDER_RETENTION),
})

const orderRetentionOf = (text: string | undefined): RetentionDays['orders'] =>
  Object.fromEntries(
    (text === undefined ? [] : retentionParts(text)).map((part) => {
      const [, plan, inRecord, inArchive] = part!
      return [plan, { days: Number(inRecord), archiveDays: inArchive === undefined ? null : Number(inArchive) }]
    }),
  )
