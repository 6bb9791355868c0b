import { inNextLink, List } from './list.js'
import type { Answer, AnswerAt, Arguments, Body, ItemOf, Method, PathWith, Query, Schema } from './operations.js'
import { type StreamOptions, streamOf } from './stream.js'
import { type ClientOptions, pathWith, type RequestOptions, Transport, type Values } from './transport.js'

type Id = string
type Untyped = RequestOptions & { path?: Values; query?: Values; body?: unknown }

/**
 * The API of one installation, as one key sees it. Its methods have the names that the operations have in the document
 * (`/docs` of the installation). What only operators do is reached by `request`.
 *
 * Every method throws an ApiError when the service refuses, and a ConnectionError when no answer came. Mutations are
 * repeated with one `Idempotency-Key`, so that a cut connection neither loses nor doubles anything.
 */
export class Switchyard {
  readonly #transport: Transport

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options)
  }

  /** Any operation of the document: `request('get', '/api/executions/{id}', { path: { id } })`. */
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

  /** Whether the service answers. */
  getHealth(options: RequestOptions = {}): Promise<Answer<'getHealth'>> {
    return this.request('get', '/api/health', options)
  }

  /** The chains, and whether each works at present. */
  listChains(options: RequestOptions = {}): Promise<Answer<'listChains'>> {
    return this.request('get', '/api/chains', options)
  }

  /** The tokens that may be sent and received, with the least amount that a deposit should have. */
  listTokens(query: Query<'listTokens'> = {}, options: RequestOptions = {}): Promise<Answer<'listTokens'>> {
    return this.request('get', '/api/tokens', { query, ...options })
  }

  /** Says where a user's deposits go, and gives the deposit address. Again, it changes where later deposits go. */
  putDepositIntent(body: Body<'putDepositIntent'>, options: RequestOptions = {}): Promise<Answer<'putDepositIntent'>> {
    return this.request('post', '/api/deposit-intents', { body, ...options })
  }

  getDepositIntent(userId: string, options: RequestOptions = {}): Promise<Answer<'getDepositIntent'>> {
    return this.request('get', '/api/users/{userId}/deposit-intent', { path: { userId }, ...options })
  }

  /** Where a user's deposits went before, and who changed that. */
  listDepositIntentVersions(
    userId: string,
    query: Query<'listDepositIntentVersions'> = {},
    options: RequestOptions = {},
  ): List<ItemOf<'listDepositIntentVersions'>> {
    return this.#list(pathWith('/api/users/{userId}/deposit-intent/versions', { userId }), query, options)
  }

  /** Gives a user a deposit address before it is known where deposits go. */
  createAccount(body: Body<'createAccount'>, options: RequestOptions = {}): Promise<Answer<'createAccount'>> {
    return this.request('post', '/api/accounts', { body, ...options })
  }

  getAccount(userId: string, options: RequestOptions = {}): Promise<Answer<'getAccount'>> {
    return this.request('get', '/api/users/{userId}/account', { path: { userId }, ...options })
  }

  /** What to show to a person who is about to send: address, tokens, least amounts, links for wallets. */
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

  /** Reads a transaction or a deposit from the chain again: the answer to "my deposit is not showing". */
  rescanDeposit(body: Body<'rescanDeposit'>, options: RequestOptions = {}): Promise<Answer<'rescanDeposit'>> {
    return this.request('post', '/api/deposits/rescan', { body, ...options })
  }

  /** Finds deposits by whatever somebody has: a hash, an address, a user, an id, an explorer's page. */
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

  /** The signed receipt of an ended execution. It never changes. */
  getReceipt(id: Id, options: RequestOptions = {}): Promise<Answer<'getReceipt'>> {
    return this.request('get', '/api/executions/{id}/receipt', { path: { id }, ...options })
  }

  /** What a deposit would become, with fees and route. Nothing is moved. */
  simulateDeposit(body: Body<'simulateDeposit'>, options: RequestOptions = {}): Promise<Answer<'simulateDeposit'>> {
    return this.request('post', '/api/routing/simulate-deposit', { body, ...options })
  }

  /**
   * What happened, oldest first, up to five seconds before now. The walk ends there; store the id of the last event and
   * go on from it later as `after`.
   */
  listEvents(query: Query<'listEvents'> = {}, { signal }: RequestOptions = {}): List<Schema<'Event'>> {
    return new List(async (from) => {
      const after = from ?? query.after
      const asked = { ...query, after }
      const sent = { method: 'GET', path: '/api/events', query: asked, ...(signal && { signal }) }
      const { response, body } = await this.#transport.send(sent)
      const items = body as Schema<'Event'>[]
      const next = inNextLink(response, 'after')
      // The link of this list never ends: it is at its end where a page is not full and nothing was passed over.
      const isFull = items.length > 0 && items.length >= Number(inNextLink(response, 'limit'))
      const isAtEnd = !isFull && next === (items.at(-1)?.id ?? after ?? null)
      return { items, next: isAtEnd ? null : next }
    })
  }

  /** Events as they happen, for ever, through cut connections. Pass the last id that you stored as `after`. */
  streamEvents(
    query: Query<'streamEvents'> = {},
    options: StreamOptions = {},
  ): AsyncGenerator<Schema<'Event'>, void, undefined> {
    return streamOf(this.#transport, query, options)
  }

  listWebhookEndpoints(options: RequestOptions = {}): Promise<Answer<'listWebhookEndpoints'>> {
    return this.request('get', '/api/webhook-endpoints', options)
  }

  /** Has events posted to an address of yours. The answer has the secret, which is shown only now. */
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

  /** What was not delivered is dropped. */
  async deleteWebhookEndpoint(id: Id, options: RequestOptions = {}): Promise<void> {
    await this.request('delete', '/api/webhook-endpoints/{id}', { path: { id }, ...options })
  }

  /** Makes a new secret; for a time both of them sign. */
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

  /** A delivery with its body and every attempt that is kept. */
  getWebhookDelivery(id: Id, deliveryId: Id, options: RequestOptions = {}): Promise<Answer<'getWebhookDelivery'>> {
    return this.request('get', '/api/webhook-endpoints/{id}/deliveries/{deliveryId}', {
      path: { id, deliveryId },
      ...options,
    })
  }

  /** Posts one event again, or all of a time, or what failed in it. */
  resendWebhooks(
    id: Id,
    body: Body<'resendWebhooks'>,
    options: RequestOptions = {},
  ): Promise<Answer<'resendWebhooks'>> {
    return this.request('post', '/api/webhook-endpoints/{id}/resend', { path: { id }, body, ...options })
  }

  /** Posts a sample of any type now, and answers with what your server said. */
  testWebhookEndpoint(
    id: Id,
    body: Body<'testWebhookEndpoint'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'testWebhookEndpoint'>> {
    return this.request('post', '/api/webhook-endpoints/{id}/test', { path: { id }, body, ...options })
  }

  /** The statuses and stages, and what each means. */
  getLifecycle(options: RequestOptions = {}): Promise<Answer<'getLifecycle'>> {
    return this.request('get', '/api/lifecycle', options)
  }

  getUsage(query: Query<'getUsage'> = {}, options: RequestOptions = {}): Promise<Answer<'getUsage'>> {
    return this.request('get', '/api/usage', { query, ...options })
  }

  /** A month's movements of each token, and the balances before and after it. */
  getStatement(query: Query<'getStatement'>, options: RequestOptions = {}): Promise<Answer<'getStatement'>> {
    return this.request('get', '/api/statements', { query, ...options })
  }

  /** Up to which block each chain was read. */
  getCoverage(options: RequestOptions = {}): Promise<Answer<'getCoverage'>> {
    return this.request('get', '/api/coverage', options)
  }
}
