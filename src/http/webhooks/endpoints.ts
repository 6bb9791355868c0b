import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import { eventTypes, matchingEventTypes } from '../../domain/event-types'
import { type } from '../../domain/schema'
import { changesOf } from '../../domain/tenant/audit'
import type { AuditVerb } from '../../domain/tenant/audit-verb'
import { urlObjection } from '../../domain/webhook/destination'
import { defaultTypes, endpointsMax, type WebhookEndpoint, withDisabled } from '../../domain/webhook/endpoint'
import { secretBytes, secretText } from '../../domain/webhook/signature'
import type { IdempotentRequests } from '../../ports/limits'
import type { Vault } from '../../ports/webhooks'
import { sealedSecret } from '../../webhooks/secrets'
import { operationDocs } from '../openapi/operation-docs'
import { noteVerb } from '../operator/note-verb'
import { authorOf, type ChangeContext } from '../operator/request-context'
import { authenticate } from '../request/authenticate'
import { endpointChanges, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { type Answer, idempotent } from '../request/idempotent'
import { readQuery } from '../request/query'
import { IdParams } from '../views/scalar'
import { ownEndpoint, type WebhookPorts } from './ports'
import { postRetrying } from './reset-deliveries'
import {
  endpointView,
  RotationBody,
  WebhookEndpointBody,
  WebhookEndpointChange,
  WebhookEndpointCreatedView,
  WebhookEndpointView,
  WebhookSecretView,
} from './views'

const shared = { tag: 'Webhook endpoints', roles: endpointChanges.roles } as const
const daySeconds = 86_400

const docs = {
  list: operationDocs({
    ...shared,
    operationId: 'listWebhookEndpoints',
    summary: 'List your endpoints',
    description: 'Newest first.',
    answers: { 200: { view: WebhookEndpointView.array(), description: 'The endpoints.', headers: ['etag'] } },
    refusals: ['UNKNOWN_PARAMETER'],
  }),
  create: operationDocs({
    ...shared,
    operationId: 'createWebhookEndpoint',
    summary: 'Create an endpoint',
    description:
      'Events from now on are posted, signed by Standard Webhooks 1.0, at least once and in any order: keep the highest ' +
      '`seq` per `data.id`. Answer 2xx within 15 s; anything else is retried for three days. 410 disables the endpoint. ' +
      `At most ${endpointsMax} endpoints.`,
    isMutation: true,
    bodyExample: { url: 'https://example.com/hooks' },
    answers: { 201: { view: WebhookEndpointCreatedView, description: 'The endpoint and its secret.' } },
    refusals: ['LIMIT_REACHED'],
  }),
  get: operationDocs({
    ...shared,
    operationId: 'getWebhookEndpoint',
    summary: 'Show an endpoint',
    description: 'As in the list.',
    answers: { 200: { view: WebhookEndpointView, description: 'The endpoint.', headers: ['etag'] } },
    refusals: ['ENDPOINT_NOT_FOUND'],
  }),
  change: operationDocs({
    ...shared,
    operationId: 'changeWebhookEndpoint',
    summary: 'Change, disable or enable an endpoint',
    description:
      'Enabling it, or moving it to another `url`, posts immediately what waits for a retry, with ten further attempts ' +
      'each. Events of the last 7 days that occurred while it was disabled follow. Deliveries that are `FAILED` stay so: ' +
      'resend them.',
    isMutation: true,
    bodyExample: { enabled: true },
    answers: { 200: { view: WebhookEndpointView, description: 'The endpoint.' } },
    refusals: ['ENDPOINT_NOT_FOUND'],
  }),
  remove: operationDocs({
    ...shared,
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete an endpoint',
    description: 'Undelivered events are dropped.',
    isMutation: true,
    answers: { 204: { view: null, description: 'It is deleted.' } },
    refusals: ['ENDPOINT_NOT_FOUND'],
  }),
  rotate: operationDocs({
    ...shared,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description: 'Both secrets sign for `overlapSeconds`. With a third secret, the oldest stops immediately.',
    isMutation: true,
    bodyExample: { overlapSeconds: daySeconds },
    answers: { 200: { view: WebhookSecretView, description: 'The new secret.' } },
    refusals: ['ENDPOINT_NOT_FOUND'],
  }),
}

type Settings = { url: string; types: readonly string[] }

function assureValid({ url, types }: Settings, { webhooksToLoopback }: WebhookPorts): void {
  const objection = urlObjection(url, webhooksToLoopback)
  if (objection !== null) throw new Refusal('VALIDATION_FAILED', { message: `url ${objection}` })
  if (matchingEventTypes(types.join(',')) === null)
    throw new Refusal('VALIDATION_FAILED', { message: `types must be among ${eventTypes.join(', ')}` })
}

const newSecret = ({ vault }: WebhookPorts): string => secretText(vault.randomBytes(secretBytes))

const noted = (
  { operator, now }: WebhookPorts,
  { caller, set }: ChangeContext,
  verb: AuditVerb,
  target: string,
  details = {},
) => noteVerb(operator, caller, authorOf(caller, set), { verb, target, at: now(), details })

async function created(ports: WebhookPorts, asking: ChangeContext, body: Settings & { description: string | null }) {
  const { webhookEndpoints, vault, operator, now } = ports
  assureValid(body, ports)
  const organizationId = asking.caller.organization.id
  const limitReached = () => new Refusal('LIMIT_REACHED', { message: `No more than ${endpointsMax} webhook endpoints` })
  const count = async (): Promise<number> => (await webhookEndpoints.ofOrganization(organizationId)).length
  if ((await count()) >= endpointsMax) throw limitReached()
  const id = operator.newId('whe_')
  const secret = newSecret(ports)
  const at = now()
  const { url, types, description } = body
  await noted(ports, asking, 'webhook_endpoint.create', id, { url, types })
  const stored = await webhookEndpoints.save({
    id,
    version: 0,
    organizationId,
    url,
    types,
    description,
    enabled: true,
    disabledReason: null,
    enabledAt: at,
    secret: sealedSecret({ id, organizationId }, vault, secret),
    previousSecret: null,
    previousExpiresAt: null,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  })
  if (!stored) throw new Error(`There is an endpoint ${id} already`)
  // Counted again after the write, because concurrent requests passed the first count together.
  if ((await count()) > endpointsMax) {
    await remove(ports, asking, id)
    throw limitReached()
  }
  return { status: 201, view: { ...endpointView(stored, null), secret } } as const
}

type Change = {
  [Name in keyof typeof WebhookEndpointChange.infer]: (typeof WebhookEndpointChange.infer)[Name] | undefined
}

function changed(endpoint: WebhookEndpoint, { url, types, description, enabled }: Change, at: number): WebhookEndpoint {
  const edited: WebhookEndpoint = {
    ...endpoint,
    url: url ?? endpoint.url,
    types: types ?? endpoint.types,
    description: description === undefined ? endpoint.description : description,
    enabledAt: url === undefined || url === endpoint.url ? endpoint.enabledAt : at,
    updatedAt: at,
  }
  if (enabled === undefined || enabled === endpoint.enabled) return edited
  return enabled ? { ...edited, enabled, disabledReason: null, enabledAt: at } : withDisabled(edited, 'BY_REQUEST', at)
}

/** Changes an endpoint in its stored form. @throws {Refusal} ENDPOINT_NOT_FOUND if it was deleted since it was read. */
async function rewriteUndeleted(
  { webhookEndpoints }: WebhookPorts,
  id: string,
  change: (endpoint: WebhookEndpoint) => WebhookEndpoint,
): Promise<WebhookEndpoint> {
  const stored = await rewrite(webhookEndpoints, id, (one) => (one?.deletedAt === null ? change(one) : null))
  if (stored?.deletedAt !== null) throw new Refusal('ENDPOINT_NOT_FOUND')
  return stored
}

async function edit(ports: WebhookPorts, asking: ChangeContext, id: string, change: Change): Promise<Answer> {
  const webhookEndpoint = await ownEndpoint(ports, asking.caller, id)
  const next = changed(webhookEndpoint, change, ports.now())
  assureValid(next, ports)
  const { url, types, description, enabled } = next
  await noted(
    ports,
    asking,
    'webhook_endpoint.edit',
    id,
    changesOf(webhookEndpoint, { url, types, description, enabled }),
  )
  const stored = await rewriteUndeleted(ports, id, (one) => changed(one, change, ports.now()))
  if (stored.enabled && stored.enabledAt !== webhookEndpoint.enabledAt) await postRetrying(ports, stored)
  return { status: 200, view: endpointView(stored, await ports.webhookFeeds.load(id)) }
}

async function remove(ports: WebhookPorts, asking: ChangeContext, id: string): Promise<Answer> {
  await ownEndpoint(ports, asking.caller, id)
  await noted(ports, asking, 'webhook_endpoint.delete', id)
  const at = ports.now()
  await rewrite(ports.webhookEndpoints, id, (one) =>
    one && one.deletedAt === null ? { ...one, deletedAt: at, updatedAt: at } : null,
  )
  await ports.webhookDeliveries.drop(id, at)
  return { status: 204, view: null }
}

async function rotate(ports: WebhookPorts, asking: ChangeContext, id: string, overlapSeconds: number): Promise<Answer> {
  const webhookEndpoint = await ownEndpoint(ports, asking.caller, id)
  await noted(ports, asking, 'webhook_endpoint.rotate_secret', id, { overlapSeconds })
  const secret = newSecret(ports)
  const at = ports.now()
  const previousExpiresAt = at + overlapSeconds * 1_000
  const sealed = sealedSecret(webhookEndpoint, ports.vault, secret)
  // At most two secrets sign at a time: a secret from the rotation before last stops now.
  await rewriteUndeleted(ports, id, (one) => ({
    ...one,
    secret: sealed,
    previousSecret: one.secret,
    previousExpiresAt,
    updatedAt: at,
  }))
  return { status: 200, view: { secret, previousExpiresAt: new Date(previousExpiresAt).toISOString() } }
}

/** Returns a response that shows a secret. No cache on its way may store it. */
function unstored(set: ChangeContext['set'], sent: string): string {
  set.headers['cache-control'] = 'no-store'
  return sent
}

/** The endpoints that receive an organization's events (extensions 7). */
export function webhookEndpointRoutes(ports: WebhookPorts, gate: Gate, prefix: string) {
  const { webhookEndpoints, webhookFeeds, idempotency, now } = ports
  const secretly = sealedAnswers(idempotency, ports.vault)
  return new Elysia({ prefix })
    .use(authenticate(gate, endpointChanges))
    .get(
      '/webhook-endpoints',
      async ({ caller, request, set }) => {
        readQuery(request, type({}), true)
        const endpoints = await webhookEndpoints.ofOrganization(caller.organization.id)
        const views = endpoints.map(async (one) => endpointView(one, await webhookFeeds.load(one.id)))
        return answer({ request, set }, await Promise.all(views))
      },
      docs.list,
    )
    .post(
      '/webhook-endpoints',
      async ({ body: { url, types = [...defaultTypes], description = null }, caller, request, route, set }) => {
        const body = { url, types, description }
        const mutation = { caller, body }
        const sent = await idempotent(secretly, now, { request, path: route, set }, mutation, () =>
          created(ports, { caller, set }, body),
        )
        return unstored(set, sent)
      },
      { body: WebhookEndpointBody, ...docs.create },
    )
    .get(
      '/webhook-endpoints/:id',
      async ({ params: { id }, caller, request, set }) => {
        const endpoint = await ownEndpoint(ports, caller, id)
        return answer({ request, set }, endpointView(endpoint, await webhookFeeds.load(id)))
      },
      { params: IdParams, ...docs.get },
    )
    .patch(
      '/webhook-endpoints/:id',
      async ({ params: { id }, body: { url, types, description, enabled }, caller, request, path, set }) => {
        const change: Change = { url, types, description, enabled }
        return idempotent(idempotency, now, { request, path, set }, { caller, body: change }, () =>
          edit(ports, { caller, set }, id, change),
        )
      },
      { params: IdParams, body: WebhookEndpointChange, ...docs.change },
    )
    .delete(
      '/webhook-endpoints/:id',
      async ({ params: { id }, caller, request, path, set }) =>
        idempotent(idempotency, now, { request, path, set }, { caller, body: {} }, () =>
          remove(ports, { caller, set }, id),
        ),
      { params: IdParams, ...docs.remove },
    )
    .post(
      '/webhook-endpoints/:id/rotate-secret',
      async ({ params: { id }, body: { overlapSeconds = daySeconds }, caller, request, path, set }) => {
        const mutation = { caller, body: { overlapSeconds } }
        const sent = await idempotent(secretly, now, { request, path, set }, mutation, () =>
          rotate(ports, { caller, set }, id, overlapSeconds),
        )
        return unstored(set, sent)
      },
      { params: IdParams, body: RotationBody, ...docs.rotate },
    )
}

const purposeOf = (id: string): string => `answer to ${id}`

/** Keeps responses with a secret encrypted. A response that cannot be decrypted is not replayed. */
const sealedAnswers = (requests: IdempotentRequests, vault: Vault): IdempotentRequests => ({
  ...requests,
  async begin(id, fingerprint, at) {
    const begun = await requests.begin(id, fingerprint, at)
    if (begun.kind !== 'KEPT') return begun
    const body = vault.open(begun.answer.body, purposeOf(id))
    return body === null ? { kind: 'OTHER' } : { kind: 'KEPT', answer: { ...begun.answer, body } }
  },
  keep: (id, turn, answer) => requests.keep(id, turn, { ...answer, body: vault.seal(answer.body, purposeOf(id)) }),
})
