import { expect, test } from 'bun:test'
import { verifyWebhook } from '../../clients/typescript/src/index'
import { signedHeaders } from '../../src/domain/webhook/signature'

const secret = 'whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0='
const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const now = 1_795_255_262_000
const message = { id: 'evt_01M7YRTQ6MPGM6N5M11GHC0W1W', body: '{"id":"evt_1","type":"webhook.test","text":"für"}' }

test('a webhook verifies by the published example, as bytes or text, and by either secret during a rotation', async () => {
  const published = {
    'Webhook-Id': 'evt_01M7YRTQ6MPGM6N5M11GHC0W1W',
    'Webhook-Timestamp': '1795255262',
    'Webhook-Signature': 'v1,46rmsWp7zxu+6zLIpwt0kclTMFiyinuC5K/Xci4nQnY=',
  }
  const body =
    '{"id":"evt_01M7YRTQ6MPGM6N5M11GHC0W1W","type":"webhook.test","timestamp":"2026-11-21T10:01:02.420Z","seq":null,' +
    '"data":{"message":"It works."}}'
  expect(await verifyWebhook({ body, headers: published, secret, now })).toMatchObject({ type: 'webhook.test' })
  for (const secrets of [[secret], [other, secret], [secret, other]]) {
    const headers = signedHeaders(message, secrets, now)
    for (const given of [secret, [secret], [other, secret]])
      for (const sent of [message.body, new TextEncoder().encode(message.body)])
        for (const held of [headers, new Headers(headers)])
          expect((await verifyWebhook({ body: sent, headers: held, secret: given, now })).id).toBe('evt_1')
  }
})

test('a webhook with a different body, id, time, secret or kind of signature is refused, and so is an unsigned one', async () => {
  const headers = signedHeaders(message, [secret], now)
  const codeOf = async (changed: Record<string, string | undefined>, more: object = {}) => {
    const request = { body: message.body, headers: { ...headers, ...changed }, secret, now, ...more }
    return verifyWebhook(request).then(
      () => null,
      (error: { code?: string }) => error,
    )
  }
  const no = { code: 'NO_MATCHING_SIGNATURE' }
  expect(await codeOf({}, { body: `${message.body} ` })).toMatchObject(no)
  expect(await codeOf({}, { secret: other })).toMatchObject(no)
  expect(await codeOf({ 'webhook-id': 'evt_2' })).toMatchObject(no)
  const signature = headers['webhook-signature']!
  for (const bad of ['v1,', 'v1,%%%', signature.replace('v1', 'v1a'), signature.slice(0, -6), signature.slice(3)])
    expect(await codeOf({ 'webhook-signature': bad })).toMatchObject(no)
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    for (const value of ['', undefined])
      expect(await codeOf({ [name]: value })).toMatchObject({ code: 'MISSING_HEADER' })
  for (const bad of ['-1', '1e9', '0x1', ' 1'])
    expect(await codeOf({ 'webhook-timestamp': bad })).toMatchObject({ code: 'INVALID_TIMESTAMP' })
  expect(await codeOf({}, { now: now + 301_000 })).toMatchObject({ code: 'TIMESTAMP_TOO_OLD' })
  expect(await codeOf({}, { now: now - 301_000 })).toMatchObject({ code: 'TIMESTAMP_TOO_NEW' })
  expect(await codeOf({}, { now: now + 301_000, toleranceSeconds: 400 })).toBeNull()
  await expect(verifyWebhook({ body: '', headers, secret: 'whsec_', now })).rejects.toThrow(TypeError)
  const text = signedHeaders({ ...message, body: 'no json' }, [secret], now)
  expect(await codeOf(text, { body: 'no json' })).toMatchObject({ code: 'INVALID_BODY' })
})
