import { chainKeyOf } from '../../domain/chain/chain'
import type { Repeated } from '../../domain/repeat'
import { randomId } from '../../http/dashboard/new-tenants'
import { aloneBy } from '../../http/routes/alone'
import { heldChangesTask } from '../../intents/held-changes'
import { storedSemaphores } from '../../limits/stored-semaphores'
import type { Executions } from '../../ports/executions'
import type { OverdueNow } from '../../ports/observing'
import type { EventReader } from '../../ports/webhooks'
import { type Audited, auditing } from '../audit/auditing'
import { disabledEndpointEmail } from '../disabled-endpoint-email'
import { eventAppending } from '../event-log'
import { notificationEmails } from '../notices/notification-emails'
import type { ServicePorts } from '../service-ports'
import { webhookPosting } from '../webhook-posting'
import type { Faults } from './faults'

/** Work between start and stop. `role`: the role of a process that does it; null for every process. */
export type Background = { role: 'api' | 'worker' | null; task: Repeated }

type AppendingPorts = Pick<ServicePorts, 'name' | 'stores' | 'messages' | 'chains' | 'worth' | 'now'> & Faults

export function appendingOf({ name, stores, messages, chains, worth, fault, now }: AppendingPorts): Repeated {
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

type Posted = 'name' | 'stores' | 'webhooks' | 'observing' | 'dashboard' | 'now' | 'random'

export function postingOf(ports: Pick<ServicePorts, Posted> & Faults & { events: EventReader }): Repeated {
  const { name, stores, webhooks, observing, dashboard, events, fault, now, random } = ports
  const { webhookEndpoints, webhookFeeds, webhookDeliveries, organizations } = stores
  const { post, vault } = webhooks
  const { log, meters } = observing
  return webhookPosting({
    posting: { webhookEndpoints, webhookFeeds, webhookDeliveries, events, post, vault, holder: name, now, random },
    notify: disabledEndpointEmail(dashboard, organizations, {
      now,
      onTrouble: (error) => log.write('LETTER_UNSENT', { error }),
    }),
    log,
    meters,
    onTrouble: fault,
  })
}

type NoticePorts = Pick<ServicePorts, 'stores' | 'dashboard' | 'now'> &
  Faults & { overdue: OverdueNow; countQuota: Executions['countQuota'] }

export function noticesOf({ stores, dashboard, overdue, countQuota, fault, now }: NoticePorts): Repeated {
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

type HeldPorts = Pick<ServicePorts, 'stores' | 'signing' | 'now'> & Faults

export function heldChangesPart({ stores, signing: { seals }, fault, now }: HeldPorts): Repeated {
  const { heldChanges, intents, accounts, auditLog, semaphoreRecords } = stores
  const onTrouble = (error: unknown) => fault('held changes', error)
  const semaphores = storedSemaphores({ books: semaphoreRecords, now })
  const alone = aloneBy({ semaphores, newId: randomId, noteBug: onTrouble, now })
  return heldChangesTask({ heldChanges, intents, accounts, auditLog, alone, seals, now, onTrouble })
}

type AuditedPorts = Pick<ServicePorts, 'name' | 'stores' | 'chains' | 'observing' | 'now'> &
  Faults & { audited: Audited }

export function auditingOf({ name, stores, chains, observing, audited, fault, now }: AuditedPorts): Repeated {
  return auditing({
    audited,
    observations: stores.observations,
    books: stores.semaphoreRecords,
    name,
    isSpent: (id) => chains.bill.isSpent(chainKeyOf(id)),
    log: observing.log,
    now,
    onTrouble: (error) => fault('the audit', error),
  })
}
