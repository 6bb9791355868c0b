import { type AlchemyWebhook, type AlchemyWebhooks, alchemyToken, updateAddresses } from './alchemy-webhooks'
import type { AssetTransfers } from './asset-transfers'

const pageSizeMax = 100
const addressesMax = 100_000

type AlchemyServer = { url: string; rpcUrl: string; stop(): Promise<void> }

type Body = Record<string, unknown>
type Handler = (body: Body, query: URLSearchParams) => unknown

class RequestRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** Starts a stand-in for Alchemy: its Notify API, which manages webhooks, and the asset transfers of its nodes. */
export function startAlchemyServer(webhooks: AlchemyWebhooks, transfers: AssetTransfers, port = 0): AlchemyServer {
  const handlers = notifyHandlers(webhooks)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      const [, host] = /^\/v2\/([a-z-]+)$/.exec(pathname) ?? []
      if (host && request.method === 'POST') {
        const answer = transfers.answer(host, await bodyOf(request))
        return answer ? Response.json(answer) : refused(404, 'Not found')
      }
      const handler = handlers[`${request.method} ${pathname.replace(/^\/api/, '')}`]
      if (!handler) return refused(404, 'Not found')
      if (request.headers.get('x-alchemy-token') !== alchemyToken) return refused(401, 'Unauthenticated')
      try {
        return Response.json(handler(await bodyOf(request), searchParams))
      } catch (error) {
        if (error instanceof RequestRefusal) return refused(error.status, error.message)
        throw error
      }
    },
  })
  const origin = `http://127.0.0.1:${server.port}`
  return { url: `${origin}/api`, rpcUrl: `${origin}/v2`, stop: () => server.stop(true) }
}

/** The handlers of the Notify API, by request. */
function notifyHandlers(webhooks: AlchemyWebhooks): Record<string, Handler> {
  const webhookOf = (id: unknown): AlchemyWebhook => {
    const webhook = webhooks.find(id)
    if (!webhook) throw new RequestRefusal(404, 'Webhook not found')
    return webhook
  }

  return {
    'GET /team-webhooks': () => ({ data: webhooks.all.map(webhookView) }),
    'GET /webhook-addresses': (_, query) => {
      const all = [...(webhookOf(query.get('webhook_id')).addresses ?? [])]
      const from = Number(query.get('after') ?? 0)
      const end = from + Math.min(Number(query.get('limit') ?? pageSizeMax), pageSizeMax)
      const cursors = end < all.length ? { after: `${end}` } : {}
      return { data: all.slice(from, end), pagination: { cursors, total_count: all.length } }
    },
    'POST /create-webhook': (body) => {
      const addresses = addressesOf(body['addresses'])
      if (addresses.length === 0) throw new RequestRefusal(400, 'addresses must hold at least one address')
      return { data: webhookView(webhooks.create(`${body['network']}`, `${body['webhook_url']}`, addresses)) }
    },
    'PATCH /update-webhook-addresses': (body) => {
      const webhook = webhookOf(body['webhook_id'])
      const [add, remove] = [addressesOf(body['addresses_to_add']), addressesOf(body['addresses_to_remove'])]
      if ((webhook.addresses?.size ?? 0) + add.length > addressesMax)
        throw new RequestRefusal(400, 'Too many addresses')
      updateAddresses(webhook, add, remove)
      return {}
    },
    'PUT /update-webhook-addresses': (body) => {
      webhookOf(body['webhook_id']).addresses = new Set(
        addressesOf(body['addresses']).map((each) => each.toLowerCase()),
      )
      return {}
    },
    'PUT /update-webhook': (body) => {
      const webhook = webhookOf(body['webhook_id'])
      webhook.is_active = body['is_active'] === true
      return { data: webhookView(webhook) }
    },
    'DELETE /delete-webhook': (_, query) => {
      webhooks.remove(webhookOf(query.get('webhook_id')))
      return {}
    },
  }
}

const refused = (status: number, message: string): Response => Response.json({ message, name: 'Error' }, { status })

const webhookView = ({ addresses, ...webhook }: AlchemyWebhook) => ({
  ...webhook,
  addresses: null,
  address_count: addresses?.size ?? 0,
})

async function bodyOf(request: Request): Promise<Body> {
  if (request.method === 'GET' || request.method === 'DELETE') return {}
  const body = await request.json().catch(() => null)
  if (typeof body !== 'object' || body === null) throw new RequestRefusal(400, 'Malformed JSON')
  return body as Body
}

function addressesOf(value: unknown): string[] {
  const isAddress = (each: unknown) => typeof each === 'string' && /^0x[0-9a-fA-F]{40}$/.test(each)
  if (!Array.isArray(value) || !value.every(isAddress))
    throw new RequestRefusal(400, 'addresses must be an array of addresses')
  return value
}
