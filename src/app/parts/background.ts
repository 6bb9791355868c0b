import type { Repeated } from '../../domain/repeat'
import type { Executions } from '../../ports/executions'
import type { OverdueNow } from '../../ports/overdue'
import type { EventReader } from '../../ports/webhooks/event-log'
import { disabledEndpointEmail } from '../disabled-endpoint-email'
import { eventAppending } from '../event-log'
import { heldChangesApplied } from '../held-changes'
import { notificationEmails } from '../notices/notification-emails'
import type { ServicePorts } from '../service-ports'
import { webhookPosting } from '../webhook-posting'

/** Work between start and stop. `role`: the role of a process that does it; null for every process. */
export type Background = { role: 'api' | 'worker' | null; task: Repeated }

type Subjects = 'name' | 'stores' | 'messages' | 'chains' | 'worth' | 'signing' | 'webhooks' | 'observing'
type Ports = Pick<ServicePorts, Subjects | 'dashboard' | 'now' | 'random'> & {
  events: EventReader
  overdue: OverdueNow
  countQuota: Executions['countQuota']
  fault: (what: string, error: unknown) => void
}

/** The background work about events: it appends them, posts them, and e-mails what needs attention. */
export const eventWork = (ports: Ports): Background[] => [
  { role: null, task: appendingOf(ports) },
  // Posting needs the key that encrypts webhook secrets, which a worker must not hold.
  { role: 'api', task: postingOf(ports) },
  { role: 'api', task: noticesOf(ports) },
  { role: 'api', task: heldOf(ports) },
]

function appendingOf({ name, stores, messages, chains, worth, fault, now }: Ports): Repeated {
  const { executions, sightings, intents, intentHistory, heldChanges, pausePeriods, quotaWarnings } = stores
  const { apiKeys, webhookEndpoints, eventLog, eventMarks, scanCursors, semaphoreRecords } = stores
  const tenancy = { intents, intentHistory, heldChanges, apiKeys, webhookEndpoints, quotaWarnings }
  return eventAppending({
    records: { executions, sightings, pausePeriods, ...tenancy },
    eventLog,
    eventMarks,
    facts: { tokens: worth.tokens, chains: chains.clients, scanCursors },
    semaphoreRecords,
    signals: messages.signals,
    name,
    now,
    onTrouble: fault,
  })
}

function postingOf({ name, stores, webhooks, observing, dashboard, events, fault, now, random }: Ports): Repeated {
  const { webhookEndpoints, webhookFeeds, webhookDeliveries, organizations } = stores
  const { post, vault } = webhooks
  const { log, meters } = observing
  return webhookPosting({
    posting: { webhookEndpoints, webhookFeeds, webhookDeliveries, events, post, vault, holder: name, now, random },
    tell: disabledEndpointEmail(dashboard, organizations, {
      now,
      onTrouble: (error) => log.say('LETTER_UNSENT', { error }),
    }),
    log,
    meters,
    onTrouble: fault,
  })
}

function noticesOf({ stores, dashboard, overdue, countQuota, fault, now }: Ports): Repeated {
  const { heldChanges, executionQueries, pauses, apiKeys, organizations, noticeBooks } = stores
  return notificationEmails({
    heldChanges,
    executionQueries,
    executions: { countQuota },
    overdue,
    pauses,
    apiKeys,
    organizations,
    noticeBooks,
    dashboard,
    now,
    onTrouble: (error) => fault('notices', error),
  })
}

function heldOf({ stores, signing: { seals }, fault, now }: Ports): Repeated {
  const { heldChanges, intents, auditLog } = stores
  return heldChangesApplied({
    heldChanges,
    intents,
    auditLog,
    seals,
    now,
    onTrouble: (error) => fault('held changes', error),
  })
}
