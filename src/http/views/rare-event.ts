import { chainKeyOf, chains } from '../../domain/chain/chain'
import type { HeldTarget, RequestedChange } from '../../domain/deposit/held-change'
import {
  chainEventTypes,
  changeHeldType,
  disabledType,
  intentEventTypes,
  keyExpiringType,
  quotaWarningType,
} from '../../domain/event-types'
import { view } from '../../domain/schema'
import { type ApiKey, roles } from '../../domain/tenant/api-key'
import { pausedMessages, pauseScopes } from '../../domain/tenant/pause-scope'
import { eventId } from '../../events/event-id'
import { WebhookEndpointView } from '../webhooks/views'
import { ChainView } from './chain'
import { depositIntentFields } from './deposit-intent'
import { example } from './examples'
import { TransitionView } from './history'
import {
  Address,
  ChainId,
  ChainKeyName,
  Count,
  CountOrNull,
  described,
  isoTime,
  Text,
  Time,
  TimeOrNull,
} from './scalar'
import { quotaFields } from './usage-days'

/** The head of events about anything except deposits. These have no history with numbered entries (extensions 6.1). */
const headOf = (timestamp: string, dataId: string, place = 0) => ({
  id: Text('As for any event', eventId(Date.parse(timestamp), dataId, place)),
  timestamp: Time('When it happened', timestamp),
  seq: CountOrNull('Null: it has no history', null),
  transition: described(TransitionView.or('null'), 'Null: it has no states', null),
})

const disabledAt = '2026-11-21T10:00:30.911Z'
export const EndpointEventView = view({
  ...headOf(disabledAt, 'whe_9fT2aQ'),
  type: described(view.enumerated(disabledType), 'The event', disabledType),
  data: described(WebhookEndpointView, 'The endpoint at that time'),
})

export const FormerTargetView = view({
  targetChainId: ChainId('Destination chain', chains.base.id),
  targetChainKey: ChainKeyName('Chain key', 'base'),
  targetTokenAddress: Address('Destination token', example.baseUsdc),
  targetAddress: Address('Former recipient', example.sender),
})

/** Returns a destination of deposits: the current, a former or a pending one. */
export const targetView = ({
  targetChainId,
  targetTokenAddress,
  targetAddress,
}: Omit<HeldTarget, 'refundAddress'>) => ({
  ...{ targetChainId, targetChainKey: chainKeyOf(targetChainId), targetTokenAddress, targetAddress },
})

export const RequestedChangeView = view({
  targetChainId: ChainId('Destination chain', chains.arbitrum.id),
  targetChainKey: ChainKeyName('Chain key', 'arbitrum'),
  targetTokenAddress: Address('Destination token', example.arbitrumUsdc),
  targetAddress: Address('New recipient', example.sender),
  'refundAddress?': Address('New refund address, if any', example.sender),
  hold: described(
    view.enumerated('DELAY', 'APPROVAL'),
    'The reason for the wait: a time, or the approval of a second member',
    'DELAY',
  ),
  takesEffectAt: TimeOrNull(
    'When it takes effect unless a member withdraws it; null if it waits for approval',
    '2026-11-22T10:02:41.318Z',
  ),
})

export const requestedChangeView = ({ target, from }: RequestedChange): typeof RequestedChangeView.infer => ({
  ...targetView(target),
  ...(target.refundAddress && { refundAddress: target.refundAddress }),
  hold: from === null ? 'APPROVAL' : 'DELAY',
  takesEffectAt: from === null ? null : isoTime(from),
})

const intentChangeFields = {
  ...depositIntentFields,
  version: Count('Number of the version, from 1: keep the highest per `userId`', 3),
  previous: described(
    FormerTargetView.or('null'),
    'Previous destination of deposits; null for the first version, or if it was not kept',
  ),
  'organizationId?': Text('For the platform’s operators only', 'org_1'),
} as const
export const IntentChangeView = view(intentChangeFields)
export const HeldIntentView = view({
  ...intentChangeFields,
  change: described(RequestedChangeView, 'The pending change'),
})

const storedAt = '2026-11-21T09:58:12.004Z'
export const IntentEventView = view({
  ...headOf(storedAt, example.depositAddress, 3),
  type: described(view.enumerated(...intentEventTypes), 'The event', 'intent.updated'),
  data: described(IntentChangeView, 'The intent as it was stored'),
})

const heldAt = '2026-11-21T10:02:41.318Z'
export const IntentHeldEventView = view({
  ...headOf(heldAt, `held:${example.depositAddress}`, 3),
  type: described(view.enumerated(changeHeldType), 'The event', changeHeldType),
  data: described(HeldIntentView, 'The current intent, in force until then, with the pending change'),
})

const pausedAt = '2026-11-21T10:12:00.000Z'
export const ChainEventView = view({
  ...headOf(pausedAt, pauseScopes.chain(chains.base.id), 1),
  type: described(view.enumerated(...chainEventTypes), 'The event', 'chain.paused'),
  data: described(ChainView, 'The chain as the pause defines it; see `GET /api/chains` for measured values', {
    ...{ chainId: chains.base.id, chainKey: 'base', name: chains.base.name },
    ...{ nativeTokenSymbol: 'ETH', nativeTokenDecimals: 18, explorerUrl: chains.base.explorerUrl },
    ...{ confirmationsRequired: 10, confirmationTypicalSeconds: 20, acceptsDeposits: false, delivers: false },
    message: pausedMessages.chain,
    updatedAt: pausedAt,
  }),
})

const warnedAt = '2026-11-21T10:20:41.112Z'
export const QuotaEventView = view({
  ...headOf(warnedAt, 'org_1:2026-11', 80),
  type: described(view.enumerated(quotaWarningType), 'The event', quotaWarningType),
  data: described(
    view({ ...quotaFields, 'organizationId?': Text('For the platform’s operators only', 'org_1') }),
    'The quota at that time. `used` includes executions that were about to reach PENDING',
    { month: '2026-11', limit: 10_000, used: 8_000, resetsAt: '2026-12-01T00:00:00.000Z' },
  ),
})

export const ExpiringKeyView = view({
  id: Text('The key; its text is stored nowhere', 'key_9fT2'),
  label: Text('Label of the key', 'production'),
  prefix: Text('The first characters of its text, which distinguish keys', 'sy_live_9fT2'),
  role: described(view.enumerated(...roles), 'Role of the key', 'CLIENT'),
  createdAt: Time('When it was made', '2026-08-30T10:00:00.000Z'),
  expiresAt: Time('When it expires, unless it is revoked before', '2026-11-28T10:00:00.000Z'),
  'organizationId?': Text('For the platform’s operators only', 'org_1'),
})

export const expiringKeyView = ({ id, label, prefix, role, createdAt, expiresAt }: ApiKey) => ({
  ...{ id, label, prefix, role, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt!) },
})

const expiringAt = '2026-11-21T10:00:00.000Z'
export const KeyEventView = view({
  ...headOf(expiringAt, 'key_9fT2'),
  type: described(view.enumerated(keyExpiringType), 'The event', keyExpiringType),
  data: described(ExpiringKeyView, 'The key'),
})

export type RareEventView =
  | typeof EndpointEventView.infer
  | typeof IntentEventView.infer
  | typeof IntentHeldEventView.infer
  | typeof ChainEventView.infer
  | typeof QuotaEventView.infer
  | typeof KeyEventView.infer
export type EndpointEventView = typeof EndpointEventView.infer
