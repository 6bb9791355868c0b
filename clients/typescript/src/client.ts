import { inNextLink, List } from './list.js'
import type { Answer, AnswerAt, Arguments, Body, ItemOf, Method, PathWith, Query, Schema } from './operations.js'
import { type StreamOptions, streamOf } from './stream.js'
import { type ClientOptions, pathWith, type RequestOptions, Transport, type Values } from './transport.js'

type Id = string
type Untyped = RequestOptions & { path?: Values; query?: Values; body?: unknown }

/**
 * The API of one installation, used with one key. Its methods are named after the operations in the document (`/docs`
 * of the installation). Operators' operations are available through `request`.
 *
 * Every method throws an ApiError if the service refuses, and a ConnectionError if no response came. Mutations are
 * repeated with one `Idempotency-Key`, so a lost connection loses and duplicates nothing.
 */
export class Switchyard {
  readonly #transport: Transport

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options)
  }

  /** Calls any operation of the document: `request('get', '/api/executions/{id}', { path: { id } })`. */
  async request<Verb extends Method, Path extends PathWith<Verb>>(
    method: Verb,
    path: Path,
    given: Arguments<Verb, Path> & RequestOptions,
  ): Promise<AnswerAt<Verb, Path>> {
    const { path: values, query, body, ...options } = given as unknown as Untyped
    const sent = { ...options, method: method.toUpperCase(), path: pathWith(path, values ?? {}), query, body }
    return (await this.#transport.send(sent)).body as AnswerAt<Verb, Path>
  }

  #list<Item>(path: string, query: Values = {}, { signal }: RequestOptions = {}): List<Item> {
    return new List(async (from) => {
      const asked = { ...query, ...(from !== null && { cursor: from }) }
      const { response, body } = await this.#transport.send({
        method: 'GET',
        path,
        query: asked,
        ...(signal && { signal }),
      })
      return { items: body as Item[], next: inNextLink(response, 'cursor') }
    })
  }

  /** Checks that the service responds. */
  getHealth(options: RequestOptions = {}): Promise<Answer<'getHealth'>> {
    return this.request('get', '/api/health', options)
  }

  /** Lists the chains, and whether each works at present. */
  listChains(options: RequestOptions = {}): Promise<Answer<'listChains'>> {
    return this.request('get', '/api/chains', options)
  }

  /** Lists the tokens to send and receive, with the minimum deposit of each. */
  listTokens(query: Query<'listTokens'> = {}, options: RequestOptions = {}): Promise<Answer<'listTokens'>> {
    return this.request('get', '/api/tokens', { query, ...options })
  }

  /** Sets where a user's deposits go, and returns the deposit address. Calling it again redirects later deposits. */
  putDepositIntent(body: Body<'putDepositIntent'>, options: RequestOptions = {}): Promise<Answer<'putDepositIntent'>> {
    return this.request('post', '/api/deposit-intents', { body, ...options })
  }

  getDepositIntent(userId: string, options: RequestOptions = {}): Promise<Answer<'getDepositIntent'>> {
    return this.request('get', '/api/users/{userId}/deposit-intent', { path: { userId }, ...options })
  }

  /** Lists a user's earlier recipients, and who changed them. */
  listDepositIntentVersions(
    userId: string,
    query: Query<'listDepositIntentVersions'> = {},
    options: RequestOptions = {},
  ): List<ItemOf<'listDepositIntentVersions'>> {
    return this.#list(pathWith('/api/users/{userId}/deposit-intent/versions', { userId }), query, options)
  }

  /** Creates a deposit address for a user before its recipient is set. */
  createAccount(body: Body<'createAccount'>, options: RequestOptions = {}): Promise<Answer<'createAccount'>> {
    return this.request('post', '/api/accounts', { body, ...options })
  }

  getAccount(userId: string, options: RequestOptions = {}): Promise<Answer<'getAccount'>> {
    return this.request('get', '/api/users/{userId}/account', { path: { userId }, ...options })
  }

  /** Returns what to show a sender: address, tokens, minimum amounts and wallet links. */
  getDepositAddress(userId: string, options: RequestOptions = {}): Promise<Answer<'getDepositAddress'>> {
    return this.request('get', '/api/users/{userId}/deposit-address', { path: { userId }, ...options })
  }

  getAccountProof(address: string, options: RequestOptions = {}): Promise<Answer<'getAccountProof'>> {
    return this.request('get', '/api/accounts/{address}/proof', { path: { address }, ...options })
  }

  listUserDeposits(
    userId: string,
    query: Query<'listUserDeposits'> = {},
    options: RequestOptions = {},
  ): List<ItemOf<'listUserDeposits'>> {
    return this.#list(pathWith('/api/users/{userId}/deposits', { userId }), query, options)
  }

  listDeposits(query: Query<'listDeposits'> = {}, options: RequestOptions = {}): List<ItemOf<'listDeposits'>> {
    return this.#list('/api/deposits', query, options)
  }

  getDeposit(id: Id, options: RequestOptions = {}): Promise<Answer<'getDeposit'>> {
    return this.request('get', '/api/deposits/{id}', { path: { id }, ...options })
  }

  /** Reads a transaction or a deposit from the chain again, for "my deposit is not showing". */
  rescanDeposit(body: Body<'rescanDeposit'>, options: RequestOptions = {}): Promise<Answer<'rescanDeposit'>> {
    return this.request('post', '/api/deposits/rescan', { body, ...options })
  }

  /** Finds deposits by a hash, an address, a user, an id or an explorer URL. */
  search(q: string, query: Omit<Query<'search'>, 'q'> = {}, options: RequestOptions = {}): Promise<Answer<'search'>> {
    return this.request('get', '/api/search', { query: { ...query, q }, ...options })
  }

  listUserExecutions(
    userId: string,
    query: Query<'listUserExecutions'> = {},
    options: RequestOptions = {},
  ): List<ItemOf<'listUserExecutions'>> {
    return this.#list(pathWith('/api/users/{userId}/executions', { userId }), query, options)
  }

  listExecutions(query: Query<'listExecutions'> = {}, options: RequestOptions = {}): List<ItemOf<'listExecutions'>> {
    return this.#list('/api/executions', query, options)
  }

  getExecution(id: Id, options: RequestOptions = {}): Promise<Answer<'getExecution'>> {
    return this.request('get', '/api/executions/{id}', { path: { id }, ...options })
  }

  /** Returns the signed receipt of an ended execution. It never changes. */
  getReceipt(id: Id, options: RequestOptions = {}): Promise<Answer<'getReceipt'>> {
    return this.request('get', '/api/executions/{id}/receipt', { path: { id }, ...options })
  }

  /** Simulates a deposit, with fees and route. No money moves. */
  simulateDeposit(body: Body<'simulateDeposit'>, options: RequestOptions = {}): Promise<Answer<'simulateDeposit'>> {
    return this.request('post', '/api/routing/simulate-deposit', { body, ...options })
  }

  /**
   * Lists events, oldest first, up to five seconds before now. The iteration ends there. Store the id of the last event
   * and continue later with it as `after`.
   */
  listEvents(query: Query<'listEvents'> = {}, { signal }: RequestOptions = {}): List<Schema<'Event'>> {
    return new List(async (from) => {
      const after = from ?? query.after
      const asked = { ...query, after }
      const sent = { method: 'GET', path: '/api/events', query: asked, ...(signal && { signal }) }
      const { response, body } = await this.#transport.send(sent)
      const items = body as Schema<'Event'>[]
      const next = inNextLink(response, 'after')
      // This list always has a next link. It has ended if a page is not full and nothing was skipped.
      const isFull = items.length > 0 && items.length >= Number(inNextLink(response, 'limit'))
      const isAtEnd = !isFull && next === (items.at(-1)?.id ?? after ?? null)
      return { items, next: isAtEnd ? null : next }
    })
  }

  /**
   * Streams events as they happen, without end, across lost connections. Pass the last id that you stored as `after`.
   */
  streamEvents(
    query: Query<'streamEvents'> = {},
    options: StreamOptions = {},
  ): AsyncGenerator<Schema<'Event'>, void, undefined> {
    return streamOf(this.#transport, query, options)
  }

  listWebhookEndpoints(options: RequestOptions = {}): Promise<Answer<'listWebhookEndpoints'>> {
    return this.request('get', '/api/webhook-endpoints', options)
  }

  /** Creates an endpoint that receives events. The response contains the secret, shown only once. */
  createWebhookEndpoint(
    body: Body<'createWebhookEndpoint'>,
    options: RequestOptions = {},
  ): Promise<Answer<'createWebhookEndpoint'>> {
    return this.request('post', '/api/webhook-endpoints', { body, ...options })
  }

  getWebhookEndpoint(id: Id, options: RequestOptions = {}): Promise<Answer<'getWebhookEndpoint'>> {
    return this.request('get', '/api/webhook-endpoints/{id}', { path: { id }, ...options })
  }

  changeWebhookEndpoint(
    id: Id,
    body: Body<'changeWebhookEndpoint'>,
    options: RequestOptions = {},
  ): Promise<Answer<'changeWebhookEndpoint'>> {
    return this.request('patch', '/api/webhook-endpoints/{id}', { path: { id }, body, ...options })
  }

  /** Deletes an endpoint. Undelivered events are dropped. */
  async deleteWebhookEndpoint(id: Id, options: RequestOptions = {}): Promise<void> {
    await this.request('delete', '/api/webhook-endpoints/{id}', { path: { id }, ...options })
  }

  /** Creates a new secret. Both secrets sign during the overlap. */
  rotateWebhookSecret(
    id: Id,
    body: Body<'rotateWebhookSecret'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'rotateWebhookSecret'>> {
    return this.request('post', '/api/webhook-endpoints/{id}/rotate-secret', { path: { id }, body, ...options })
  }

  listWebhookDeliveries(
    id: Id,
    query: Query<'listWebhookDeliveries'> = {},
    options: RequestOptions = {},
  ): List<ItemOf<'listWebhookDeliveries'>> {
    return this.#list(pathWith('/api/webhook-endpoints/{id}/deliveries', { id }), query, options)
  }

  /** Returns a delivery with its body and all stored attempts. */
  getWebhookDelivery(id: Id, deliveryId: Id, options: RequestOptions = {}): Promise<Answer<'getWebhookDelivery'>> {
    return this.request('get', '/api/webhook-endpoints/{id}/deliveries/{deliveryId}', {
      path: { id, deliveryId },
      ...options,
    })
  }

  /** Resends one event, all events of a period, or only its failed ones. */
  resendWebhooks(
    id: Id,
    body: Body<'resendWebhooks'>,
    options: RequestOptions = {},
  ): Promise<Answer<'resendWebhooks'>> {
    return this.request('post', '/api/webhook-endpoints/{id}/resend', { path: { id }, body, ...options })
  }

  /** Sends a sample of any type now, and returns your server's response. */
  testWebhookEndpoint(
    id: Id,
    body: Body<'testWebhookEndpoint'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'testWebhookEndpoint'>> {
    return this.request('post', '/api/webhook-endpoints/{id}/test', { path: { id }, body, ...options })
  }

  /** Returns the statuses and stages with their meanings. */
  getLifecycle(options: RequestOptions = {}): Promise<Answer<'getLifecycle'>> {
    return this.request('get', '/api/lifecycle', options)
  }

  getUsage(query: Query<'getUsage'> = {}, options: RequestOptions = {}): Promise<Answer<'getUsage'>> {
    return this.request('get', '/api/usage', { query, ...options })
  }

  /** Returns a month's movements of each token, with the balances before and after it. */
  getStatement(query: Query<'getStatement'>, options: RequestOptions = {}): Promise<Answer<'getStatement'>> {
    return this.request('get', '/api/statements', { query, ...options })
  }

  /** Lists the movements of each deposit in double entry, as a statement adds them up. */
  listLedger(query: Query<'listLedger'> = {}, options: RequestOptions = {}): List<ItemOf<'listLedger'>> {
    return this.#list('/api/ledger', query, options)
  }

  /** Returns the last scanned block of each chain. */
  getCoverage(options: RequestOptions = {}): Promise<Answer<'getCoverage'>> {
    return this.request('get', '/api/coverage', options)
  }
}
