import { expect, test } from 'bun:test'
import {
  afterAttempt,
  attemptsMax,
  deliveryId,
  newDelivery,
  type Outcome,
  resent,
  retryAfterMsOf,
  type WebhookDelivery,
} from '../../src/domain/webhook/delivery'
import { isOwnAddress, isPublicAddress, mayReach, urlObjection } from '../../src/domain/webhook/destination'
import {
  hasFailedTooLong,
  newFeed,
  urlLengthMax,
  type WebhookEndpoint,
  withAttempt,
} from '../../src/domain/webhook/endpoint'
import { secretText, signedHeaders } from '../../src/domain/webhook/signature'
import { bodyBytesMax, bodyOf } from '../../src/webhooks/log-reader'
import { attackAddresses, attackUrls } from '../support/attacks'
import { testAll } from '../support/test-all'

const now = Date.UTC(2026, 10, 21, 10)
const answered = (statusCode: number, retryAfterMs: number | null = null): Outcome => ({
  statusCode,
  durationMs: 100,
  error: null,
  retryAfterMs,
})
const timeout: Outcome = { statusCode: null, durationMs: 15_000, error: 'TIMEOUT', retryAfterMs: null }
const delivery = newDelivery(
  { id: 'whe_1', organizationId: 'org_a' },
  { id: 'evt_1', type: 'execution.success', at: now, body: '{}' },
  now,
)

test('the signature of the reference’s example is reproduced', () => {
  const body =
    '{"id":"evt_01M7YRTQ6MPGM6N5M11GHC0W1W","type":"webhook.test","timestamp":"2026-11-21T10:01:02.420Z","seq":null,"data":{"message":"It works."}}'
  const secret = 'whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0='
  const headers = signedHeaders({ id: 'evt_01M7YRTQ6MPGM6N5M11GHC0W1W', body }, [secret], 1_795_255_262_999)
  expect(headers).toEqual({
    'content-type': 'application/json',
    'user-agent': 'Switchyard-Webhooks/1',
    'webhook-id': 'evt_01M7YRTQ6MPGM6N5M11GHC0W1W',
    'webhook-timestamp': '1795255262',
    'webhook-signature': 'v1,46rmsWp7zxu+6zLIpwt0kclTMFiyinuC5K/Xci4nQnY=',
  })
  const two = signedHeaders(
    { id: 'evt_01M7YRTQ6MPGM6N5M11GHC0W1W', body },
    [secretText(new Uint8Array(32)), secret],
    now,
  )
  expect(two['webhook-signature']!.split(' ')).toHaveLength(2)
})

test('an event is attempted ten times over about three days, and then fails', () => {
  for (const random of [0, 0.5, 1]) {
    let [last, at]: [WebhookDelivery, number] = [delivery, now]
    const waits: number[] = []
    while (last.dueAt !== null) {
      last = afterAttempt(last, timeout, at, random)
      if (last.dueAt !== null) waits.push(last.dueAt - at - timeout.durationMs)
      at = last.dueAt ?? at
    }
    expect([last.status, last.attempts, waits.length]).toEqual(['FAILED', attemptsMax, 9])
    const share = 0.8 + 0.4 * random
    const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]
    expect(waits).toEqual(minutes.map((each) => Math.round(each * 60_000 * share)))
    expect(resent(last, at)).toMatchObject({ status: 'PENDING', tries: 0, attempts: attemptsMax, dueAt: at })
  }
})

testAll([200, 201, 204, 299])('every 2xx response accepts an event', (status) => {
  expect(afterAttempt(delivery, answered(status), now, 0.5)).toMatchObject({
    status: 'DELIVERED',
    dueAt: null,
    attempts: 1,
    deliveredAt: now + 100,
  })
})

testAll([100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599])(
  'any other status is retried, including redirects',
  (status) => {
    expect(afterAttempt(delivery, answered(status), now, 0.5)).toMatchObject({ status: 'RETRYING', deliveredAt: null })
  },
)

test('429 and 503 delay the next attempt as requested, by a day at most, and never advance it', () => {
  const dueAt = (status: number, seconds: number) =>
    afterAttempt(delivery, answered(status, seconds * 1_000), now, 0.5).dueAt! - now - 100
  expect([429, 503, 500, 400].map((status) => dueAt(status, 3_600))).toEqual([3_600_000, 3_600_000, 5_000, 5_000])
  expect([dueAt(429, 0), dueAt(429, 1_000_000)]).toEqual([5_000, 86_400_000])
})

test('retry-after is parsed as seconds or as a date, and anything else is ignored', () => {
  expect(retryAfterMsOf('120', now)).toBe(120_000)
  expect(retryAfterMsOf(new Date(now + 60_000).toUTCString(), now)).toBe(60_000)
  expect(retryAfterMsOf(new Date(now - 60_000).toUTCString(), now)).toBe(0)
  for (const text of [null, '', '-1', '1.5', 'soon', '99999999999', '0x10', 'NaN'])
    expect(retryAfterMsOf(text, now)).toBeNull()
})

test('an endpoint is disabled after five days of failed attempts, counted from its enabling', () => {
  const endpoint = { id: 'whe_1', organizationId: 'org_a', createdAt: now, enabledAt: now } as WebhookEndpoint
  const day = 86_400_000
  const failing = withAttempt(withAttempt(newFeed(endpoint), now, false), now + 4 * day, false)
  expect(hasFailedTooLong(failing, endpoint, now + 5 * day - 1)).toBe(false)
  expect(hasFailedTooLong(failing, endpoint, now + 5 * day)).toBe(true)
  expect(hasFailedTooLong(failing, { enabledAt: now + day }, now + 5 * day)).toBe(false)
  expect(hasFailedTooLong(withAttempt(failing, now + 4 * day, true), endpoint, now + 9 * day)).toBe(false)
})

test('an event has one delivery at each endpoint', () => {
  expect(deliveryId('whe_1', 'evt_1')).toBe(delivery.id)
  expect(
    new Set(
      ['whe_1 evt_2', 'whe_2 evt_1', 'whe_1 evt_1'].map((one) => deliveryId(...(one.split(' ') as [string, string]))),
    ).size,
  ).toBe(3)
})

test('the list has at least sixty attacks', () => expect(new Set(attackUrls).size).toBeGreaterThanOrEqual(60))

testAll(attackUrls)('an event is never posted to an address that an attacker would use', (url) => {
  expect(urlObjection(url, false)).toMatch(/^must /)
})

testAll(attackAddresses)('a name that resolves to a private address is refused', (address) => {
  expect([isPublicAddress(address), mayReach(address, false)]).toEqual([false, false])
})

testAll([
  'https://example.com/hooks',
  'https://example.com:8443/hooks?from=switchyard',
  'https://EXAMPLE.com',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://xn--bcher-kva.example/',
  'https://hooks.eu-1.example.co.uk:10443/a/b#c',
])('events may be posted to a public address', (url) => expect(urlObjection(url, false)).toBeNull())

testAll(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
  'an address of the public Internet is accepted',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test('events may go to this machine only if configured, and even then to no other private address', () => {
  for (const url of ['http://127.0.0.1:4242/hooks', 'http://localhost:4242/', 'https://[::1]:4242/'])
    expect([urlObjection(url, true), urlObjection(url, false) === null]).toEqual([null, false])
  const elsewhere = [
    'http://10.0.0.1/',
    'https://169.254.169.254/',
    'http://example.com/',
    'https://[::ffff:127.0.0.1]/',
  ]
  for (const url of elsewhere) expect(urlObjection(url, true)).toMatch(/^must /)
  expect([isOwnAddress('127.0.0.2'), isOwnAddress('10.0.0.1'), mayReach('10.0.0.1', true)]).toEqual([
    true,
    false,
    false,
  ])
  expect(urlObjection(`https://example.com/${'a'.repeat(urlLengthMax)}`, true)).toMatch(/^must be at most/)
})

testAll<[url: string, toLoopback: boolean, says: RegExp]>([
  ['http://192.168.1.1/hooks', true, /public Internet, or be of this machine, as http:\/\/localhost:4242 is$/],
  ['http://192.168.1.1/hooks', false, /public Internet$/],
  ['http://example.com/hooks', true, /an https:\/\/ URL, or one of this machine$/],
  ['nonsense', false, /an https:\/\/ URL$/],
])('a refused address names what this installation accepts: %s, to loopback: %s', (url, toLoopback, says) => {
  expect(urlObjection(url, toLoopback)).toMatch(says)
})

test('a body is at most 20 kB, and the data of a longer event keeps its ids and its status', () => {
  const event = (note: string) => ({
    id: 'evt_1',
    type: 'execution.failed',
    seq: 3,
    data: { id: 'd', userId: 'ü'.repeat(255), status: 'FAILED', note },
  })
  const fits = event('x'.repeat(bodyBytesMax - Buffer.byteLength(JSON.stringify(event('')))))
  expect(bodyOf(JSON.stringify(fits))).toBe(JSON.stringify(fits))
  const { data, ...head } = event('ü'.repeat(bodyBytesMax / 2))
  const body = bodyOf(JSON.stringify({ ...head, data }))
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bodyBytesMax)
  expect(JSON.parse(body)).toEqual({ ...head, data: { id: data.id, userId: data.userId, status: 'FAILED' } })
})
