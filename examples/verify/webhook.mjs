// Verifies a webhook by Standard Webhooks 1.0, without a library.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** headers: the request's, by lower-case name. body: the raw text. */
export function isGenuine(secret, headers, body, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(now / 1000 - Number(timestamp)) < 300)) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  if (key.length < 24) throw new TypeError('The secret is missing')
  const expected = Buffer.from(createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64'))
  return signatures.split(' ').some((each) => {
    const [version, signature = ''] = each.split(',')
    const given = Buffer.from(signature)
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
