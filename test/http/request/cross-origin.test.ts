import { expect, test } from 'bun:test'
import { ConfigError, loadConfig } from '../../../src/app/config/config'
import { serviceVariables } from '../../support/service-variables'
import { testAll } from '../../support/test-all'
import { peopledWorld, target } from '../world'

const origin = 'https://app.example.com'
const path = '/api/users/user-1/account'

const corsOf = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))

async function asked(corsOrigins: string[], sent: string, method = 'GET', headers: Record<string, string> = {}) {
  const { api, client } = await peopledWorld({ corsOrigins })
  const all = { origin: sent, 'x-api-key': client, ...headers }
  return (where: string) => api.handle(new Request(`http://localhost${where}`, { method, headers: all }))
}

const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' }

test('no origin is allowed by default: the response has no header, and a preflight fails', async () => {
  const answer = await (await asked([], origin))(path)
  expect([answer.status, corsOf(answer.headers)]).toEqual([404, []])
  const before = await (await asked([], origin, 'OPTIONS', preflight))('/api/deposit-intents')
  expect([before.status, corsOf(before.headers)]).toEqual([405, []])
})

test('a configured origin may read responses and refusals, without credentials', async () => {
  const ask = await asked(['https://other.example.com', origin], origin)
  for (const where of [path, '/api/health']) {
    const { headers } = await ask(where)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-expose-headers')).toContain('x-error-code')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('vary')).toBe('origin')
  }
})

test('the page can also read a refusal before the body is read', async () => {
  const { api } = await peopledWorld({ corsOrigins: [origin] })
  const body = JSON.stringify({ userId: 'user-1', ...target })
  const headers = { origin, 'content-type': 'application/json' }
  const { status, headers: told } = await api.handle(
    new Request('http://localhost/api/deposit-intents', { method: 'POST', headers, body }),
  )
  expect([status, told.get('access-control-allow-origin')]).toEqual([401, origin])
})

test('a preflight of a configured origin is answered without a key', async () => {
  const { status, headers } = await (await asked([origin], origin, 'OPTIONS', preflight))('/api/deposit-intents')
  expect(status).toBe(204)
  expect(headers.get('access-control-allow-origin')).toBe(origin)
  expect(headers.get('access-control-allow-methods')).toContain('POST')
  expect(headers.get('access-control-allow-headers')).toContain('x-api-key')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

testAll(['https://app.example.com.evil.example', 'http://app.example.com', 'https://APP.example.com', 'null'])(
  'a similar origin is a different origin',
  async (other) => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await (await asked([origin], other, method, preflight))(path)
      expect([corsOf(headers), headers.get('vary')]).toEqual([[], 'origin'])
    }
  },
)

test('paths outside /api have no such header', async () => {
  const ask = await asked([origin], origin)
  for (const where of ['/docs', '/docs/json', '/ready', '/metrics', '/nowhere'])
    expect(corsOf((await ask(where)).headers)).toEqual([])
})

test('CORS_ORIGINS is off by default, is a list, and rejects values that no browser sends', () => {
  const origins = (text: string | undefined) =>
    loadConfig({ ...serviceVariables, CORS_ORIGINS: text }).config.corsOrigins
  expect(origins(undefined)).toEqual([])
  expect(origins(`${origin},http://localhost:5173`)).toEqual([origin, 'http://localhost:5173'])
  for (const wrong of [
    '*',
    'app.example.com',
    `${origin}/`,
    `${origin}/path`,
    `${origin}:443`,
    'https://a b',
    `${origin},`,
  ])
    expect(() => origins(wrong)).toThrow(ConfigError)
})
