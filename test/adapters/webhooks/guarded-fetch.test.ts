import { afterAll, expect, test } from 'bun:test'
import { guardedFetch } from '../../../src/adapters/webhooks/guarded-fetch'
import { attackAddresses } from '../../support/attacks'

const endless = () => new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) })
const asked: string[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname } = new URL(request.url)
    asked.push(`${request.method} ${pathname} ${await request.text()}`)
    if (pathname === '/moved') return new Response(null, { status: 302, headers: { location: '/secret' } })
    if (pathname === '/endless') return new Response(endless())
    if (pathname === '/silent') return new Promise<Response>(() => {})
    return Response.json({ isHere: true })
  },
})
afterAll(() => server.stop(true))
const here = `http://127.0.0.1:${server.port}`

test('a document is fetched and a form is posted', async () => {
  const fetch = guardedFetch({ toLoopback: true })
  expect(await (await fetch(`${here}/keys`)).json()).toEqual({ isHere: true })
  const body = new URLSearchParams({ code: 'ü' })
  expect((await fetch(`${here}/token`, { method: 'POST', body })).status).toBe(200)
  expect(asked).toEqual(['GET /keys ', 'POST /token code=%C3%BC'])
})

test('no redirect is followed, and a response without end or beginning is abandoned', async () => {
  const fetch = guardedFetch({ toLoopback: true, timeoutMs: 2_000 })
  asked.length = 0
  expect((await fetch(`${here}/moved`)).status).toBe(302)
  for (const path of ['/endless', '/silent']) await expect(fetch(here + path)).rejects.toThrow()
  expect(asked.some((each) => each.includes('/secret'))).toBe(false)
})

test('no private address is reached, by number or by name', async () => {
  asked.length = 0
  for (const address of attackAddresses) {
    const fetch = guardedFetch({ toLoopback: false, resolve: async () => [address] })
    await expect(fetch('https://id.example/.well-known/openid-configuration')).rejects.toThrow('ADDRESS_REFUSED')
  }
  const fetch = guardedFetch({ toLoopback: false })
  for (const url of [here, 'https://[::1]/', 'https://169.254.169.254/', 'https://localhost/', 'file:///etc/passwd'])
    await expect(fetch(url)).rejects.toThrow('ADDRESS_REFUSED')
  expect(asked).toEqual([])
})
