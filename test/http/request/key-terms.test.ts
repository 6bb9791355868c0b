import { expect, test } from 'bun:test'
import { addressesIn, isAddressRange } from '../../../src/domain/tenant/address-range'
import { everyRole } from '../../../src/http/request/caller'
import { keyGate } from '../../../src/http/request/key-gate'
import { testAll } from '../../support/test-all'
import { apiWorld } from '../world'

const path = '/api/users/user-1/executions'

/** A key on these terms. Requests come over a trusted proxy from the address that it names. */
async function keyed(terms: { allowedAddresses?: string[]; expiresAt?: number; revokedAt?: number }) {
  const world = apiWorld({ trustedProxies: ['127.0.0.1', '::1'] })
  await world.organization('org_a')
  const key = await world.key('org_a', 'CLIENT', terms)
  const server = world.api.listen({ port: 0, hostname: '127.0.0.1' }).server!
  const from = async (address: string | null) => {
    const headers = { 'x-api-key': key, ...(address !== null && { 'x-forwarded-for': address }) }
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })
    const { message } = response.ok ? {} : await response.json()
    return [response.status, response.headers.get('x-error-code'), message]
  }
  return { ...world, from, close: () => world.api.stop(true) }
}
const refused = [403, 'ADDRESS_NOT_ALLOWED', 'This API key may not be used from this network address']
const ok = [200, null, undefined]

testAll<[ranges: string[], address: string | null, answer: unknown[]]>([
  [[], '198.51.100.9', ok],
  [['198.51.100.9'], '198.51.100.9', ok],
  [['198.51.100.9'], '198.51.100.8', refused],
  [['198.51.100.0/24', '203.0.113.0/24'], '203.0.113.255', ok],
  [['198.51.100.0/24'], '198.51.101.0', refused],
  [['198.51.100.0/24'], '::ffff:198.51.100.7', ok],
  [['2001:db8::/32'], '2001:db8:ffff::1', ok],
  [['2001:db8::/32'], '2001:db9::1', refused],
  [['2001:db8::/32'], '198.51.100.9', refused],
  [['0.0.0.0/0'], '198.51.100.9', ok],
  [['0.0.0.0/0'], '2001:db8::1', refused],
  [['::/0'], '198.51.100.9', refused],
  [['::/0'], '::ffff:c633:6409', refused],
  [['::/0'], '2001:db8::1', ok],
  [['198.51.100.9'], '198.51.100.9, 203.0.113.1', refused], // the client wrote the part to the left
  [['198.51.100.9'], null, refused], // the proxy itself
])('a key works only from its address ranges', async (allowedAddresses, address, answer) => {
  const { from, close } = await keyed({ allowedAddresses })
  expect(await from(address)).toEqual(answer)
  await close()
})

test('a key with address ranges is refused if the request’s origin is unknown', async () => {
  const { ask, organization, key } = apiWorld()
  await organization('org_a')
  const text = await key('org_a', 'CLIENT', { allowedAddresses: ['127.0.0.1'] })
  expect((await ask(path, { key: text })).headers.get('x-error-code')).toBe('ADDRESS_NOT_ALLOWED')
})

test('an expired key is reported as expired, and one revoked earlier looks like an unknown one', async () => {
  const { ask, organization, key, clock } = apiWorld()
  await organization('org_a')
  const expiresAt = clock.now + 1_000
  const [expiring, ended] = [
    await key('org_a', 'CLIENT', { expiresAt, revokedAt: expiresAt }),
    await key('org_a', 'CLIENT', { expiresAt, revokedAt: clock.now + 500 }),
  ]
  expect((await ask(path, { key: expiring })).status).toBe(200)
  clock.now = expiresAt
  const said = async (text: string) => {
    const { status, headers, json } = await ask(path, { key: text })
    return [status, headers.get('x-error-code'), json.message]
  }
  expect(await said(expiring)).toEqual([401, 'API_KEY_EXPIRED', 'This API key has expired: create a new one'])
  expect(await said(ended)).toEqual([401, 'INVALID_API_KEY', 'Invalid API key'])
})

test('the audit log gets one entry an hour, instead of one per address of a thief', async () => {
  const { from, close, store, clock } = await keyed({ allowedAddresses: ['198.51.100.9'] })
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.1']) await from(address)
  clock.now += 3_600_000
  await from('203.0.113.3')
  expect(store.auditLog.entries.map(({ organizationId, verb, details }) => [organizationId, verb, details])).toEqual(
    ['203.0.113.1', '203.0.113.3'].map((address) => ['org_a', 'key.refused', { why: 'ADDRESS_NOT_ALLOWED', address }]),
  )
  await close()
})

testAll([
  ['is changed', ['198.51.100.0/24']],
  ['is the first', []],
])(
  'a changed or first range ends the open streams of readers outside it, and no others of the key',
  async (_how, allowedAddresses) => {
    const { store, organization, key, clock } = apiWorld()
    await organization('org_a')
    const text = await key('org_a', 'CLIENT', { allowedAddresses })
    const addressOf = (request: Request) => request.headers.get('from')!
    const gate = keyGate({
      ...store,
      countIn: () => {},
      addressOf,
      noteRefused: () => {},
      isSandbox: false,
      now: () => clock.now,
    })
    const enter = (from: string) =>
      gate(
        { request: new Request('http://x', { headers: { 'x-api-key': text, from } }), set: { headers: {} } },
        everyRole,
      )
    const [far, near] = [await enter('198.51.100.200'), await enter('198.51.100.1')]
    expect([await near.isAdmitted!(), await far.isAdmitted!()]).toEqual([true, true])
    store.apiKeys.change('key_1', { allowedAddresses: ['198.51.100.0/25'] })
    clock.now += 1_000
    expect([await near.isAdmitted!(), await far.isAdmitted!()]).toEqual([true, false])
  },
)

test('a range must be an IPv4 or IPv6 address or CIDR', () => {
  for (const good of ['192.0.2.7', '10.0.0.0/8', '::1', '2001:db8::/32', '0.0.0.0/0', '::/0', '10.1.2.3/8'])
    expect([good, isAddressRange(good)]).toEqual([good, true])
  for (const bad of [
    '',
    '10.0.0',
    '10.0.0.0/33',
    '::/129',
    '1.2.3.4/',
    '1.2.3.4/08',
    '1.2.3.4/8/8',
    'x/8',
    'fe80::1%eth0',
    '::ffff:1.2.3.4',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:0:0/96',
    '1.2.3.4/-1',
    '1.2.3.4/8.5',
    ' 1.2.3.4',
  ])
    expect([bad, isAddressRange(bad)]).toEqual([bad, false])
  expect(addressesIn(['10.1.2.3/8'])('10.255.0.1')).toBe(true)
})
