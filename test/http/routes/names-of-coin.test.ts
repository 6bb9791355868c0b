import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { readTokenList } from '../../../src/adapters/prices/token-list'
import { blacklistId } from '../../../src/domain/blacklist-entry'
import { chains } from '../../../src/domain/chain/chain'
import { zeroAddress } from '../../../src/domain/chain/hex'
import { readList } from '../../../src/screening/read-list'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { temporaryFolder } from '../../support/temporary-folder'
import { followed } from '../openapi/conform'
import { target } from '../world'
import { priced } from './priced'

const polygon = chains.polygon.id
/** A name of the coin of every chain, and Polygon's own name for its coin. */
const [convention, ownName] = ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', chains.polygon.native.tokenAddress!]

type Named = { chainId?: number | null; token: string }
type Members = Awaited<ReturnType<typeof membersWorld>>
type SeenBy = (request: Promise<{ status: number; json: unknown }>) => Promise<Named>
type World = Members & { seenBy: SeenBy }
type Door = (world: World, named: Named) => Promise<Named>

async function world(): Promise<World> {
  const seen: Named[] = []
  const list = async (filter: { fromChainId?: number; fromTokenAddress: string }) => {
    seen.push({ chainId: filter.fromChainId, token: filter.fromTokenAddress } as Named)
    return []
  }
  const made = await membersWorld({
    ports: {
      preview: (deposit, intent, routeId) => {
        seen.push({ chainId: intent.targetChainId, token: intent.targetTokenAddress })
        return priced(deposit, intent, routeId)
      },
      depositQueries: { list } as never,
      executionQueries: { list, count: async (filter: never) => (await list(filter)).length } as never,
      ledger: { lines: list } as never,
    },
  })
  const seenBy = async (request: Promise<{ status: number; json: unknown }>): Promise<Named> => {
    const { status, json } = await request
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(json)}`)
    return seen.pop()!
  }
  return { ...made, seenBy }
}

const filter =
  (path: string): Door =>
  ({ ask, client, seenBy }, { chainId, token }) =>
    seenBy(ask(`/api/${path}?${chainId ? `fromChainId=${chainId}&` : ''}fromTokenAddress=${token}`, { key: client }))
const exported =
  (name: string): Door =>
  ({ as, seenBy }, { chainId, token }) =>
    seenBy(as('owner', `/exports/${name}?${chainId ? `fromChainId=${chainId}&` : ''}fromTokenAddress=${token}`))

const reason = 'It imitates another'
const listAs = (token: string, chainId: number | null) => ({
  kind: 'TOKEN',
  chainId,
  address: token,
  listedAs: 'SCAM',
  reason,
})
const imported =
  (textOf: (named: Named) => [object, object]): Door =>
  async (_, named) => {
    const [list, defaults] = textOf(named)
    const { chainId, address } = readList(JSON.stringify(list), defaults).listed[0]!
    return { chainId, token: address }
  }

/** Every place where a token's address comes in, by its name in the document if it has one. */
const doors: Record<string, Door> = {
  'POST /api/deposit-intents targetTokenAddress': async ({ ask, client, store }, { chainId, token }) => {
    const body = { ...target, userId: 'user-1', targetChainId: chainId, targetTokenAddress: token }
    const { json } = await ask('/api/deposit-intents', { key: client, body })
    const { targetChainId, targetTokenAddress } = (await store.intents.load(json.depositAddress))!
    return { chainId: targetChainId, token: targetTokenAddress }
  },
  'POST /api/routing/simulate-deposit overrideTargetTokenAddress': ({ ask, client, seenBy }, { chainId, token }) => {
    const sent = { userId: 'user-1', fromChainId: 8453, fromTokenSymbol: 'USDC', amountInAtomic: '25000000' }
    const over = { overrideTargetChainId: chainId, overrideTargetTokenAddress: token }
    const overrides = { ...over, overrideTargetAddress: target.targetAddress }
    return seenBy(ask('/api/routing/simulate-deposit', { key: client, body: { ...sent, ...overrides } }))
  },
  'GET /api/deposits fromTokenAddress': filter('deposits'),
  'GET /api/executions fromTokenAddress': filter('executions'),
  'GET /api/ledger fromTokenAddress': filter('ledger'),
  'export of deposits': exported('deposits'),
  'export of executions': exported('executions'),
  'filter of a job': ({ ask, platform, seenBy }, { chainId, token }) => {
    const filter = { ...(chainId && { fromChainId: chainId }), fromTokenAddress: token }
    return seenBy(ask('/api/operator/jobs', { key: platform, body: { verb: 'retry', filter, reason } }))
  },
  'scope of a pause': async ({ ask, platform, store }, { chainId, token }) => {
    const path = `/api/operator/pauses/token:${chainId}:${token}`
    await ask(path, { method: 'PUT', key: platform, body: { reason } })
    const [pause] = store.pauses.all()
    const [, chain, address] = pause!.id.split(':')
    const ended = await ask(`${path}?reason=over`, { method: 'DELETE', key: platform })
    expect([ended.status, store.pauses.all()[0]!.resumedAt === null]).toEqual([204, false])
    return { chainId: Number(chain), token: address! }
  },
  'entry of the security list': async ({ ask, platform }, { chainId, token }) => {
    const { json } = await ask('/api/operator/blacklist', {
      method: 'POST',
      key: platform,
      body: listAs(token, chainId!),
    })
    const { json: found } = await ask(`/api/operator/blacklist?kind=TOKEN&chainId=${chainId}&address=${token}`, {
      key: platform,
    })
    const path = `/api/operator/blacklist/token:${chainId}:${token}?reason=over`
    const ended = await ask(path, { method: 'DELETE', key: platform })
    expect([found.map(({ id }: { id: string }) => id), ended.status]).toEqual([[json.id], 204])
    return { chainId: json.chainId, token: json.address }
  },
  'import of entries': imported(({ chainId, token }) => [{ entries: [listAs(token, chainId!)] }, {}]),
  'import of a token list': imported(({ chainId, token }) => [
    { tokens: [{ chainId, address: token }] },
    { listedAs: 'SCAM' },
  ]),
  'import of addresses': imported(({ chainId, token }) => [[token], { kind: 'TOKEN', chainId }]),
  'import of GoPlus': imported(({ chainId, token }) => [
    { code: 1, result: { [token]: { is_honeypot: '1' } } },
    { chainId },
  ]),
  TOKEN_LIST: async (_, { chainId, token }) => {
    const path = join(temporaryFolder('token-list'), 'tokens.json')
    const listed = { chainId, address: token, symbol: 'FAKE', name: 'A copy', decimals: 9 }
    await Bun.write(path, JSON.stringify({ tokens: [listed, { ...listed, address: zeroAddress }] }))
    const found = (await readTokenList(path)).find(chainId as never, token)!
    expect([found.symbol, found.decimals]).toEqual(['POL', 18])
    return { chainId: found.chainId, token: found.address }
  },
}

test('every name of a chain’s coin is read as the zero address, at every place that names a token', async () => {
  const read: unknown[] = []
  const wanted: unknown[] = []
  for (const [name, door] of Object.entries(doors))
    for (const token of [ownName, convention, convention.toLowerCase(), zeroAddress]) {
      wanted.push([name, token, { chainId: polygon, token: zeroAddress }])
      read.push([name, token, await door(await world(), { chainId: polygon, token }).catch((error) => String(error))])
    }
  expect(read).toEqual(wanted)
})

test('without a chain, a name of one chain’s coin names that chain, and a name of all means each of them', async () => {
  const open = ['GET /api/deposits', 'GET /api/executions', 'GET /api/ledger'].map((name) => `${name} fromTokenAddress`)
  for (const name of [...open, 'export of deposits', 'filter of a job', 'import of entries']) {
    const none = name.startsWith('import') ? null : undefined
    const read = async (token: string) => doors[name]!(await world(), { chainId: none as null, token })
    expect([name, await read(ownName)]).toEqual([name, { chainId: polygon, token: zeroAddress }])
    expect([name, await read(convention)]).toEqual([name, { chainId: none as null, token: zeroAddress }])
  }
})

test('an entry that an earlier release stored under another name of the coin can be removed', async () => {
  const { ask, platform, store } = await world()
  const id = blacklistId('TOKEN', polygon, ownName)
  const times = { createdAt: 1, updatedAt: 1, expiresAt: null, removedAt: null }
  const entry = { ...listAs(ownName.toLowerCase(), polygon), source: 'OPERATOR', id, version: 0, ...times } as const
  await store.blacklist.save(entry as never)
  const remove = () => ask(`/api/operator/blacklist/${id}?reason=over`, { method: 'DELETE', key: platform })
  expect((await remove()).status).toBe(204)
  expect(await store.blacklist.load(id)).not.toMatchObject({ removedAt: null })
  expect((await remove()).status).toBe(404)
})

test('the walk has every field of the document that names a token by its address', async () => {
  const { ask } = await world()
  const { json: document } = await ask('/docs/json')
  type Operation = { parameters?: object[]; requestBody?: { content: Record<string, { schema: object }> } }
  const fields = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
        const names = parameters.map((one) => (followed(document, one as never) as { name: string }).name)
        const schema = requestBody?.content['application/json']?.schema
        const body = schema && (followed(document, schema as never) as { properties?: object })
        const all = [...names, ...Object.keys(body?.properties ?? {})].filter((name) => /TokenAddress$/i.test(name))
        return all.map((name) => `${method.toUpperCase()} ${path} ${name}`)
      }),
  )
  expect(fields.length).toBeGreaterThan(4)
  expect(fields.filter((field) => !(field in doors))).toEqual([])
})
