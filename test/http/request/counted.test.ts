import { expect, test } from 'bun:test'
import { benchKey, portsInMemory } from '../../../bench/http/memory'
import { createApi } from '../../../src/app/api/api'

const intent = JSON.stringify({
  userId: 'user-1',
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
})
const json = { 'x-api-key': benchKey, 'content-type': 'application/json' }
const streamed = (text: string) => new Blob([text]).stream()

/** Sends requests to a server on a real socket, and returns the responses and the counts at that time. */
async function askAll(asked: readonly [path: string, init: RequestInit][]) {
  const api = createApi(portsInMemory()).listen({ port: 0, hostname: '127.0.0.1' })
  const url = `http://127.0.0.1:${api.server!.port}`
  try {
    const answers: { status: number; text: string }[] = []
    for (const [path, init] of asked) {
      const answer = await fetch(url + path, init)
      answers.push({ status: answer.status, text: await answer.text() })
    }
    const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
    return { answers, counted: lines.filter((line) => line.startsWith('switchyard_http_requests_total')).toSorted() }
  } finally {
    await api.stop(true)
  }
}

test('every response is counted once by route and status: refused, unknown, unchanged and found', async () => {
  const post = { method: 'POST', headers: json }
  const { answers, counted } = await askAll([
    ['/api/deposit-intents', { ...post, body: intent }],
    ['/api/deposit-intents', { ...post, body: '{' }],
    ['/api/deposit-intents', { method: 'POST', body: intent }],
    ['/api/users/user-1/deposit-intent', { headers: json }],
    ['/api/users/user-1/deposit-intent', { headers: { ...json, 'if-none-match': '*' } }],
    ['/api/unknown', {}],
  ])
  expect(answers.map(({ status }) => status)).toEqual([201, 400, 401, 200, 304, 404])
  expect(JSON.parse(answers.at(-1)!.text)).toEqual({ statusCode: 404, message: 'Route not found', error: 'Not Found' })
  const count = (method: string, route: string, status: number) =>
    `switchyard_http_requests_total{method="${method}",route="${route}",status="${status}"} 1`
  expect(counted).toEqual(
    [
      count('POST', '/api/deposit-intents', 201),
      count('POST', '/api/deposit-intents', 400),
      count('POST', '/api/deposit-intents', 401),
      count('GET', '/api/users/:userId/deposit-intent', 200),
      count('GET', '/api/users/:userId/deposit-intent', 304),
      count('GET', 'none', 404),
    ].toSorted(),
  )
})

test('a request that is refused at the entrance is counted with its status', async () => {
  const zipped = { ...json, 'content-encoding': 'gzip' }
  const { answers, counted } = await askAll([
    ['/api/chains', { headers: { host: 'a/docs' } }],
    ['/api/deposit-intents', { method: 'POST', headers: zipped, body: intent }],
    ['/api//chains', {}],
  ])
  expect(answers.map(({ status }) => status)).toEqual([400, 415, 404])
  const count = (method: string, status: number) =>
    `switchyard_http_requests_total{method="${method}",route="none",status="${status}"} 1`
  expect(counted).toEqual([count('GET', 400), count('GET', 404), count('POST', 415)])
})

test('a body without a declared length is read only up to the limit', async () => {
  const post = { method: 'POST', headers: json }
  const { answers } = await askAll([
    ['/api/deposit-intents', { ...post, body: streamed(intent) }],
    ['/api/deposit-intents', { ...post, body: streamed(' '.repeat(64 * 1024 + 1)) }],
    ['/api/deposit-intents', post],
  ])
  expect(answers.map(({ status }) => status)).toEqual([201, 413, 400])
})
