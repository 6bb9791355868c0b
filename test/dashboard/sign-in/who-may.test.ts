import { expect, test } from 'bun:test'
import { testAll } from '../../support/test-all'
import { membersWorld } from './members-world'

const world = await membersWorld()
const roles = ['owner', 'admin', 'operator', 'member'] as const

const all = 'owner admin operator member'
const acting = 'owner admin operator'
const admins = 'owner admin'

const reason = 'reason=because'
const keyTerms = { label: 'made', role: 'CLIENT', protocolFeeBps: 10, sponsoredGas: false }
/** Every endpoint of the dashboard: its call, and its permitted roles. */
const endpoints: [method: string, path: string, who: string, body?: unknown][] = [
  ['GET', '/members', all],
  ['GET', '/states', all],
  ['GET', '/first-steps', all],
  ['GET', '/users/u/deposit-intent/versions', all],
  ['GET', '/states/dwell', all],
  ['GET', '/incidents', all],
  ['GET', '/usage', all],
  ['GET', '/usage/routes', all],
  ['GET', '/keys', all],
  ['GET', '/keys/key_1/requests', all],
  ['GET', '/requests', all],
  ['GET', '/webhooks', all],
  ['GET', '/webhooks/none', all],
  ['GET', '/webhook-endpoints', all],
  ['GET', '/webhook-endpoints/none', all],
  ['GET', '/webhook-endpoints/none/deliveries', all],
  ['GET', '/webhook-endpoints/none/deliveries/none', all],
  ['GET', '/chains', all],
  ['GET', '/tokens', all],
  ['GET', '/coverage', all],
  ['GET', '/lifecycle', all],
  ['GET', '/deposits', all],
  ['GET', '/deposits/none', all],
  ['GET', '/deposits/none/answer', all],
  ['GET', '/deposits/none/webhooks', all],
  ['GET', '/executions', all],
  ['GET', '/exports/executions', all],
  ['GET', '/exports/deposits', all],
  ['GET', '/executions/none', all],
  ['GET', '/users/u/executions', all],
  ['GET', '/users/u/deposits', all],
  ['GET', '/users/u/account', all],
  ['GET', '/users/u/deposit-intent', all],
  ['GET', '/users/u/deposit-address', all],
  ['POST', '/routing/simulate-deposit', all, { userId: 'u' }],
  ['POST', '/members/leave', all],
  ['GET', '/views', all],
  ['PUT', '/views', all, { name: 'Mine', query: 'status=FAILED' }],
  ['DELETE', '/views?name=Mine', all],
  ['GET', '/deposit-page', all],
  ['PUT', '/deposit-page', admins, { isOn: false, name: 'A', color: '#000000' }],
  ['POST', '/deposit-page/links', acting, { userId: 'u' }],
  ['PATCH', '/organization', admins, { name: 'A' }],
  ['PATCH', '/members/nobody', admins, { role: 'member' }],
  ['DELETE', '/members/nobody', admins],
  ['GET', '/sso', admins],
  ['PUT', '/sso', 'owner', { issuer: 'http://10.0.0.1/', clientId: 'x', clientSecret: 'x', role: 'member' }],
  ['DELETE', '/sso', 'owner'],
  ['PUT', '/sso/demand', 'owner', { isDemanded: false }],
  ['PUT', '/sso/admission', 'owner', { groups: [] }],
  ['POST', '/sso/domains', 'owner', { name: 'example.com' }],
  ['POST', '/sso/domains/example.com/prove', 'owner'],
  ['DELETE', '/sso/domains/example.com', 'owner'],
  ['GET', '/invitations', admins],
  ['POST', '/invitations', admins, { email: 'new@example.test', role: 'member' }],
  ['POST', '/invitations/none/resend', admins, { version: '1' }],
  ['DELETE', '/invitations/none?version=1', admins],
  ['POST', '/keys', admins, keyTerms],
  ['PATCH', '/keys/none', admins, { label: 'x' }],
  ['POST', '/keys/none/revoke', admins, { label: 'x' }],
  ['POST', '/keys/none/roll', admins, { overlapSeconds: 0 }],
  ['POST', '/webhook-endpoints', admins, { url: 'http://10.0.0.1/' }],
  ['PATCH', '/webhook-endpoints/none', admins, { enabled: true }],
  ['DELETE', '/webhook-endpoints/none', admins],
  ['POST', '/webhook-endpoints/none/rotate-secret', admins, {}],
  ['POST', '/webhook-endpoints/none/test', admins, {}],
  ['POST', '/webhook-endpoints/none/resend', admins, { eventId: 'evt_1' }],
  ['POST', '/deposit-intents', admins, { userId: 'u' }],
  ['POST', '/accounts', admins, { ownerAddress: 'u' }],
  ['GET', '/operator/audit', acting],
  ['GET', '/operator/audit/export', acting],
  ['GET', '/audit/head', acting],
  ['GET', '/operator/states', acting],
  ['GET', '/operator/pauses', acting],
  ['GET', '/operator/blacklist', acting],
  ['GET', '/operator/jobs/none', acting],
  ['GET', '/jobs', acting],
  ['GET', '/overdue/records', acting],
  ['POST', '/pretend-deposits', acting, { userId: 'u' }],
  ['POST', '/jobs/count', acting, { verb: 'retry', filter: { status: 'FAILED' } }],
  ['PUT', '/operator/pauses/organization', acting, { reason: 'because' }],
  ['DELETE', `/operator/pauses/organization?${reason}`, acting],
  ['POST', '/operator/executions/none/retry', acting, { reason: 'because' }],
  ['POST', '/operator/executions/none/approve', acting, { reason: 'because', amountOutMin: '1' }],
  ['POST', '/operator/executions/none/dead-letter', acting, { reason: 'because' }],
  ['POST', '/operator/executions/none/redrive', acting, { reason: 'because', intent: 'CURRENT' }],
]
const listing = {
  kind: 'ADDRESS',
  address: '0x1de3d712f5d3103ad50e22dc1f4d3ff1559d5115',
  listedAs: 'SCAM',
  reason: 'because',
}
/** Endpoints for the platform's members only. */
const platformOnly: typeof endpoints = [
  ['GET', '/operator/providers', acting],
  ['GET', '/relayers', acting],
  ['GET', '/node-requests', acting],
  ['GET', '/tenants', acting],
  ['PUT', '/operator/pauses/all', acting, { reason: 'because' }],
  ['POST', '/operator/blacklist', acting, listing],
]

const isRefused = (status: number) => status === 401 || status === 403
const named = ([method, path, who, body]: (typeof endpoints)[number]) =>
  [`${method} ${path}`, method, path, who, body] as const

testAll(endpoints.map(named))('a route is only for its roles', async (_name, method, path, who, body) => {
  if (path === '/members/leave') return
  for (const role of roles) {
    const { status } = await world.as(role, path, { method, body })
    expect([role, isRefused(status)]).toEqual([role, !who.split(' ').includes(role)])
  }
})

testAll([...endpoints, ...platformOnly].map(named))(
  'every route refuses a request without a session',
  async (_n, method, path, _w, body) => {
    expect((await world.as(null, path, { method, body })).status).toBe(401)
  },
)

testAll([...endpoints, ...platformOnly].map(named))(
  'no route reveals another organization',
  async (_n, method, path, _w, body) => {
    for (const role of roles) {
      const { status } = await world.as(`other-${role}`, path, {
        method,
        body,
        headers: { 'x-organization-id': 'org_a' },
      })
      expect(status).toBe(404)
    }
  },
)

testAll(platformOnly.map(named))(
  'platform routes are only for the platform’s operators',
  async (_name, method, path, _who, body) => {
    for (const role of roles) expect((await world.as(role, path, { method, body })).status).toBe(403)
    expect((await world.as('platform-member', path, { method, body })).status).toBe(403)
    expect(isRefused((await world.as('platform-owner', path, { method, body })).status)).toBe(false)
  },
)

testAll(endpoints.filter(([method]) => method !== 'GET').map(named))(
  'no changing route accepts a request from another site’s page',
  async (_n, method, path, _w, body) => {
    for (const origin of ['http://evil.test', 'null', 'http://localhost.evil.test']) {
      const answer = await world.as('owner', path, { method, body, headers: { origin } })
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'FOREIGN_ORIGIN'])
    }
  },
)

test('ids of another organization are unknown instead of forbidden', async () => {
  const made = await world.as('owner', '/keys', { body: keyTerms })
  const { id } = made.json.key
  for (const [method, path, body] of [
    ['GET', `/keys/${id}/requests`, undefined],
    ['PATCH', `/keys/${id}`, { label: 'stolen' }],
    ['POST', `/keys/${id}/revoke`, { label: 'made' }],
    ['POST', `/keys/${id}/roll`, { overlapSeconds: 0 }],
    ['DELETE', '/members/member', undefined],
    ['PATCH', '/members/member', { role: 'admin' }],
  ] as const)
    expect((await world.as('other-owner', path, { method, body })).status).toBe(404)
  const theirs = await world.as('other-owner', '/keys')
  expect(theirs.json.map((key: { id: string }) => key.id)).not.toContain(id)
})

test('no cookie opens the API, and no key the dashboard', async () => {
  const { key } = await world
    .as('owner', '/keys', { body: keyTerms })
    .then(({ json }) => ({ key: json.value as string }))
  expect((await world.ask('/api/executions', { headers: { cookie: 'person=owner' } })).status).toBe(401)
  expect((await world.ask('/app/api/keys', { headers: { 'x-api-key': key } })).status).toBe(401)
  expect((await world.ask('/api/executions', { key })).status).toBe(200)
})

test('members can search by recipient, and a key learns nothing new from the API', async () => {
  const path = '/executions?targetAddress=0x1de3d712f5d3103ad50e22dc1f4d3ff1559d5115'
  expect((await world.as('member', path)).status).toBe(200)
  const { key } = await world
    .as('owner', '/keys', { body: keyTerms })
    .then(({ json }) => ({ key: json.value as string }))
  const refused = await world.ask(`/api${path}`, { key })
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'UNKNOWN_PARAMETER'])
})
