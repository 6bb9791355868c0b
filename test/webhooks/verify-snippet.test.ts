import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { signedHeaders } from '../../src/domain/webhook/signature'
import { shownIn } from '../support/published'

type Snippet = {
  isGenuine: (secret: string, headers: Record<string, string>, body: string, now?: number) => boolean
}

const path = join(import.meta.dir, `snippet-${process.pid}.mjs`)
let snippet: Snippet
beforeAll(async () => {
  await Bun.write(path, (await shownIn('docs/integrators/webhooks.md', 'webhook')).replace(/^```js\n|```$/g, ''))
  snippet = await import(path)
})
afterAll(() => rm(path, { force: true }))

const secret = 'whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0='
const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const now = 1_795_255_262_000
const [id, body] = ['evt_1', '{"id":"evt_1","text":"für"}']

test('the snippet of the integrators’ guide believes what is signed, also during a rotation', () => {
  for (const secrets of [[secret], [other, secret]])
    expect(snippet.isGenuine(secret, signedHeaders({ id, body }, secrets, now), body, now)).toBe(true)
})

test('it believes nothing else: another secret, body, id or time, or no signature at all', () => {
  const headers = signedHeaders({ id, body }, [secret], now)
  const genuine = (changed: Record<string, string>, sent = body, at = now, by = secret) =>
    snippet.isGenuine(by, { ...headers, ...changed }, sent, at)
  expect(genuine({}, body, now, other)).toBe(false)
  expect(genuine({}, `${body} `)).toBe(false)
  expect(genuine({ 'webhook-id': 'evt_2' })).toBe(false)
  for (const at of [now - 301_000, now + 301_000]) expect(genuine({}, body, at)).toBe(false)
  for (const signature of ['', 'v1,', 'v2,AAAA', headers['webhook-signature']!.replace('v1', 'v1a')])
    expect(genuine({ 'webhook-signature': signature })).toBe(false)
  expect(snippet.isGenuine(secret, {}, body, now)).toBe(false)
  // What anybody could sign by an empty key.
  for (const missing of ['', 'whsec_', 'undefined'])
    expect(() => snippet.isGenuine(missing, headers, body, now)).toThrow('The secret is missing')
})
