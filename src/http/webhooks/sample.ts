import { chains } from '../../domain/chain/chain'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { type depositEventTypes, eventTypes, movedType, supersededType, testType } from '../../domain/event-types'
import type { Execution } from '../../domain/execution/execution'
import type { Status } from '../../domain/execution/status'
import { expiringMs } from '../../domain/tenant/api-key'
import { disabledByService, newFeed, type WebhookEndpoint, withAttempt } from '../../domain/webhook/endpoint'
import { draftsOfExecution, draftsOfSighting } from '../../events/deposit-events'
import type { EventDraft } from '../../events/event-draft'
import { eventId } from '../../events/event-id'
import { chainEvent, endpointEvents, heldEvent, intentEvent, keyEvents, quotaEvent } from '../../events/rare-events'
import type { ViewContext } from '../views/deposit'
import { example } from '../views/examples'
import { isoTime } from '../views/scalar'
import {
  lifeFailed,
  lifeIncluded,
  lifePaused,
  lifeQueued,
  lifeReturned,
  lifeUntil,
  lifeWithoutIntent,
} from './sample-life'

export const sampleTypes: readonly string[] = [testType, ...eventTypes]

const context: ViewContext = {
  findToken: (chainId, address) => ({ chainId, address, symbol: 'USDC', name: 'USD Coin', decimals: 6 }),
  confirmationsRequired: () => chains.base.confirmations,
  scannedBlock: () => 0,
  now: 0,
  isPlatform: false,
}

const seen = (stage: 'CONFIRMING' | 'ORPHANED', at: number): EventDraft[] => {
  const { id, organizationId, userId, deposit } = lifeUntil(null, at)
  const { txHash, logIndex } = deposit
  const transfer = { ...deposit, txHash: txHash!, logIndex: logIndex!, blockHash: txHash! }
  return draftsOfSighting({ ...transfer, id, version: 1, organizationId, userId, stage, detectedAt: at, updatedAt: at })
}

const lifeOfDeposit: Record<(typeof depositEventTypes)[number], (at: number) => Execution | EventDraft[]> = {
  'deposit.detected': (at) => seen('CONFIRMING', at),
  'deposit.confirmed': (at) => lifeUntil('balance verified', at),
  'deposit.waiting_for_intent': lifeWithoutIntent,
  'deposit.queued': lifeQueued,
  'deposit.paused': lifePaused,
  'deposit.orphaned': (at) => seen('ORPHANED', at),
  'deposit.returned': lifeReturned,
}

const stepTo: Partial<Record<Status, Parameters<typeof lifeUntil>[0]>> = {
  PENDING: 'order signed',
  RUNNING: 'transaction submitted',
  SUCCESS: 'funds delivered',
}

function lifeOf(type: string, at: number): Execution | EventDraft[] {
  if (type in lifeOfDeposit) return lifeOfDeposit[type as keyof typeof lifeOfDeposit](at)
  if (type === movedType) return lifeUntil('route found', at)
  if (type === supersededType) return lifeIncluded(at)
  const status = type.slice('execution.'.length).toUpperCase() as Status
  const step = stepTo[status]
  return step === undefined ? lifeFailed(status, at) : lifeUntil(step, at)
}

const dayMs = 86_400_000

const sampleIntent = (at: number, version: number): DepositIntent => ({
  ...{ id: example.depositAddress, organizationId: '', userId: example.userId, apiKeyId: 'key_9fT2', version },
  ...{ targetChainId: chains.arbitrum.id, targetTokenAddress: example.arbitrumUsdc, targetAddress: example.recipient },
  ...{ protocolFeeBps: 50, sponsoredGas: false, refundAddress: null, createdAt: at, updatedAt: at },
})

/** Sample events of objects without a life cycle. */
const lifeless: Record<string, (at: number, endpoint: WebhookEndpoint) => EventDraft> = {
  'intent.created': (at) => intentEvent({ intent: sampleIntent(at, 1), previous: null }),
  'intent.updated': (at) =>
    intentEvent({
      intent: sampleIntent(at, 3),
      previous: { ...sampleIntent(at, 2), targetAddress: example.sender },
    }),
  'intent.change_held': (at) => {
    const { id, organizationId, userId, refundAddress, ...intent } = sampleIntent(at, 3)
    const { targetChainId, targetTokenAddress } = intent
    const target = { targetChainId, targetTokenAddress, targetAddress: example.sender, refundAddress }
    const change = { id, organizationId, userId, target, of: 3, askedAt: at, from: at + dayMs }
    return heldEvent(change, { intent: sampleIntent(at, 3), previous: sampleIntent(at, 2) })
  },
  'chain.paused': (at) => chainEvent(chains.base.id, at, true),
  'chain.resumed': (at) => chainEvent(chains.base.id, at, false),
  'quota.warning': (at) =>
    quotaEvent({ id: '', organizationId: '', quotaKey: '', at, percent: 80, limit: 10_000, used: 8_000 }),
  'api_key.expiring': (at) =>
    keyEvents({
      ...{ id: 'key_9fT2', version: 1, digest: '', prefix: 'sy_live_9fT2', organizationId: '', label: 'production' },
      ...{ role: 'CLIENT', protocolFeeBps: 50, sponsoredGas: false, createdBy: null, lastUsedAt: null },
      ...{ createdAt: at - 83 * dayMs, revokedAt: at + expiringMs, expiresAt: at + expiringMs },
    })[0]!,
  'webhook_endpoint.disabled': (at, endpoint) => {
    const feed = withAttempt(newFeed(endpoint), at, false)
    return endpointEvents(disabledByService(endpoint, 'FAILING', feed, at)).at(-1)!
  },
}

/** Returns the event for an invented deposit or endpoint, as the service would send it. */
function happening(type: string, endpoint: WebhookEndpoint, at: number): object {
  const one = lifeless[type]?.(at, endpoint)
  const life = one ? [one] : lifeOf(type, at)
  const all = Array.isArray(life) ? life : draftsOfExecution(life)
  const eventDraft = all.findLast((one) => one.type === type)
  if (!eventDraft) throw new Error(`The sample record has no event ${type}`)
  return eventDraft.render({ ...context, now: at })
}

/** Returns a sample of an event. It belongs to no history, so its `seq` is null. */
export function sampleEvent(
  type: string,
  { of, endpoint, at }: { of: string; endpoint: WebhookEndpoint; at: number },
): { id: string; body: string } {
  const id = eventId(at, of, 0)
  const event =
    type === testType
      ? { id, type, timestamp: isoTime(at), seq: null, data: { message: 'It works.' } }
      : { ...happening(type, endpoint, at), id, seq: null }
  return { id, body: JSON.stringify(event) }
}
