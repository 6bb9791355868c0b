import { expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { gzipJson } from '../../src/http/dashboard/gzip-json'
import { builtPages } from '../../src/http/dashboard/pages/pages'
import { pageAt } from '../../src/http/dashboard/pages/script-preloads'
import { testAll } from '../support/test-all'
import { membersWorld } from './sign-in/members-world'

const pages = builtPages()

test('the page is visible before any script has run, and has no inline script', async () => {
  const { html } = await pages()
  for (const [text, seen] of [
    [html.signedOut, 'class="alone"'],
    [html.signedIn, 'class="shell before-shell"'],
  ] as const) {
    expect(text.slice(text.indexOf('id="root"'), text.indexOf('<template'))).toContain(seen)
    expect(text).not.toMatch(/<script(?![^>]* src=)|<[^>]+ style=|<[^>]+ on[a-z]+=/)
  }
})

testAll([
  ['', 'overview'],
  ['acme', 'overview'],
  ['acme/executions', 'executions'],
  ['acme/executions/8453%3A0x1%3A0', 'execution'],
  ['acme/keys/key_1', 'key-requests'],
  ['acme/webhooks/whe_1', 'webhook-endpoint'],
  ['acme/blacklist', 'blacklist'],
])('a page requests its scripts immediately', async (path, name) => {
  expect(pageAt(path)).toBe(name)
  const { preloads, files } = await pages()
  const scripts = preloads.get(name)!
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.filter((script) => !files.has(script))).toEqual([])
})

test('only a visitor who is not signed in requests the sign-in form immediately', async () => {
  const { preloads } = await pages()
  const form = preloads.get('sign-in')!.filter((script) => script.startsWith('sign-in-'))
  expect(form).toHaveLength(1)
  for (const name of ['shell', 'overview']) expect(preloads.get(name)).not.toContain(form[0]!)
})

test('the overview takes at most five scripts besides the first, because each costs its headers', async () => {
  const { preloads } = await pages()
  const scripts = new Set(['shell', 'overview'].flatMap((name) => preloads.get(name)!))
  expect(scripts.size).toBeLessThan(6)
})

test('long JSON is compressed for the pages, and short or streamed responses are not', async () => {
  const world = await membersWorld()
  const headers = { 'accept-encoding': 'gzip, br', origin: 'http://localhost', cookie: 'person=owner' }
  const ask = (path: string) => world.api.handle(new Request(`http://localhost/app/api${path}`, { headers }))
  const long = await ask('/lifecycle')
  const packed = new Uint8Array(await long.arrayBuffer())
  expect(long.headers.get('content-encoding')).toBe('gzip')
  expect(long.headers.get('vary')).toContain('accept-encoding')
  expect(JSON.parse(new TextDecoder().decode(gunzipSync(packed))).machine).toBe('execution')
  expect(packed.length).toBeLessThan(6_000)
  const short = await ask('/keys')
  expect(short.headers.get('content-encoding')).toBeNull()
  expect(await short.json()).toBeArray()
})

test('every type of JSON is compressed and stays that type', () => {
  const request = new Request('http://localhost', { headers: { 'accept-encoding': 'gzip' } })
  const responseValue = JSON.stringify('long'.repeat(400))
  const typeOf = (type: string) => {
    const set = { headers: { 'content-type': type } as Record<string, string> }
    return gzipJson({ request, responseValue, set }) && [set.headers['content-type'], set.headers['content-encoding']]
  }
  for (const type of ['application/json; charset=utf-8', 'application/vnd.switchyard.page+json; charset=utf-8'])
    expect(typeOf(type)).toEqual([type, 'gzip'])
  for (const type of ['application/jsonp', 'application/json-seq', 'text/csv']) expect(typeOf(type)).toBeUndefined()
})
