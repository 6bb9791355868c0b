import createClient from 'openapi-fetch'
import type { components, paths } from './schema'

declare const process: { env: Record<string, string> }

type Event = components['schemas']['Event']

const { SWITCHYARD_URL: baseUrl, SWITCHYARD_API_KEY: key, USER_ID: userId } = process.env as Record<string, string>
const client = createClient<paths>({ baseUrl: baseUrl!, headers: { 'x-api-key': key! } })

/** Returns a valid response. Any other response ends this program with its text. */
function good<Data>({ data, error, response }: { data?: Data; error?: unknown; response: Response }): Data {
  if (data === undefined) throw new Error(`${response.status} ${response.url}: ${JSON.stringify(error)}`)
  return data
}
const nextOf = ({ headers }: Response, name: string): string | undefined => {
  const [, url] = /<([^>]+)>; *rel="next"/.exec(headers.get('link') ?? '') ?? []
  return url === undefined ? undefined : (new URL(url, baseUrl).searchParams.get(name) ?? undefined)
}

const intent = {
  userId: userId!,
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
} as const
const header = { 'idempotency-key': `intent-of-${userId}` }
const put = () => client.POST('/api/deposit-intents', { body: intent, params: { header } })
const { depositAddress } = good(await put())
const again = await put()

const simulated = good(
  await client.POST('/api/routing/simulate-deposit', {
    body: { userId: userId!, fromChainId: 8453, fromTokenSymbol: 'USDC', amountInAtomic: '25000000' },
  }),
)

console.log(JSON.stringify({ depositAddress }))

const path = { userId: userId! }
const listed = () => client.GET('/api/users/{userId}/executions', { params: { path } })
let executions = good(await listed())
while (executions.filter(({ status }) => status === 'SUCCESS').length < 2) {
  await new Promise((resolve) => setTimeout(resolve, 200))
  executions = good(await listed())
}

const pages: string[][] = []
for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
  const query = { limit: 1, ...(cursor !== undefined && { cursor }) }
  const page = await client.GET('/api/users/{userId}/executions', { params: { path, query } })
  pages.push(good(page).map(({ id }) => id))
  cursor = nextOf(page.response, 'cursor')
}

const { id } = executions[0]!
const detail = good(await client.GET('/api/executions/{id}', { params: { path: { id } } }))

/** Compiles if a future chain is allowed, and a known event type has only its own data. */
export const later = { fromChainId: 10, fromChainKey: 'optimism' } satisfies Partial<components['schemas']['Execution']>
export const amountOf = (event: Event): string | null =>
  event.type === 'deposit.confirmed'
    ? event.data.amountIn
    : event.type === 'execution.success'
      ? event.data.amountOut
      : null

const toldOf = (event: Event): string => {
  if (event.type === 'intent.created' || event.type === 'intent.updated')
    return `${event.type} ${event.data.userId} ${event.data.version}`
  return 'id' in event.data ? `${event.type} ${event.data.id}` : event.type
}
const told: string[] = []
let first: string | undefined
for (let after: string | undefined; told.filter((each) => each.startsWith('execution.success')).length < 2; ) {
  const query = { userId: userId!, limit: 2, ...(after !== undefined && { after }) }
  const page = await client.GET('/api/events', { params: { query } })
  const events = good(page)
  first ??= events[0]?.id
  told.push(...events.map(toldOf))
  after = nextOf(page.response, 'after') ?? after
  if (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 200))
}

const query = { userId: userId!, after: first! }
const opened = await client.GET('/api/events/stream', { params: { query }, parseAs: 'stream' })
const streamed: string[] = []
// A resumed stream may begin a little earlier.
const known = new Set([first])
let text = ''
for await (const chunk of good(opened)!.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
  text += chunk
  const blocks = text.split('\n\n')
  text = blocks.pop()!
  for (const data of blocks.flatMap((block) => block.match(/^data: (.*)$/m)?.[1] ?? [])) {
    const event = JSON.parse(data) as Event
    if (!known.has(event.id)) streamed.push(toldOf(event))
    known.add(event.id)
  }
  if (streamed.length >= told.length - 1) break
}

const unknown = await client.GET('/api/executions/{id}', { params: { path: { id: 'nothing' } } })
const refused = await client.POST('/api/deposit-intents', { body: { ...intent, targetAddress: '0x1' } })
const failures = [unknown, refused].map(({ error, response }) => ({
  statusCode: error!.statusCode,
  message: error!.message,
  code: response.headers.get('x-error-code'),
}))

const seen = {
  isReplayed: again.response.headers.get('idempotent-replayed') === 'true',
  amountOutExpected: simulated.amountOutExpectedAtomic,
  statuses: executions.map(({ status }) => status),
  pages,
  detail: { id: detail.id, amountOut: detail.amountOut, transactions: detail.transactions.length },
  told,
  streamed,
  failures,
}
console.log(JSON.stringify({ seen }))
// The stream has no end.
;(process as unknown as { exit(code: number): void }).exit(0)
