import { expect, test } from 'bun:test'
import { testAll } from '../../support/test-all'
import { peopledWorld } from '../world'

const { ask, client } = await peopledWorld()
const { json: document } = await ask('/docs/json')

const paths = document.paths as Record<string, object>

testAll(Object.keys(paths))('an unsupported method is 405 with the supported ones, and never 404', async (path) => {
  const asked = path.replace(/\{\w+\}/g, 'someone')
  const taken = Object.entries(paths).flatMap(([other, operations]) =>
    new RegExp(`^${other.replace(/\{\w+\}/g, '[^/]+')}$`).test(asked)
      ? Object.keys(operations).map((method) => method.toUpperCase())
      : [],
  )
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !taken.includes(method))
  const refused = await Promise.all(others.map((method) => ask(asked, { method, key: client })))
  expect(refused.map(({ status }) => status)).toEqual(others.map(() => 405))
  for (const [n, { headers }] of refused.entries()) {
    expect(headers.get('x-error-code')).toBe('METHOD_NOT_ALLOWED')
    expect(headers.get('allow')).not.toContain(others[n]!)
    for (const one of taken) expect(headers.get('allow')).toContain(one)
  }
})

test('an unknown path is 404', async () => {
  const { status, headers } = await ask('/api/nothing', { key: client })
  expect([status, headers.get('x-error-code')]).toEqual([404, 'ROUTE_NOT_FOUND'])
})
