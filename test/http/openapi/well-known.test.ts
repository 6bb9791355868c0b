import { expect, test } from 'bun:test'
import { documentPaths } from '../../../src/http/openapi/well-known'
import { apiWorld } from '../world'

const { ask, api } = apiWorld()
const linksIn = (text: string) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!)

test('the OpenAPI document is available at every usual path', async () => {
  const answers = await Promise.all(documentPaths.map((path) => ask(path)))
  expect(answers.map(({ status }) => status)).toEqual(documentPaths.map(() => 200))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers[0]!.json.openapi).toStartWith('3.1')
})

test('llms.txt has the form of llmstxt.org, and its links work without a key', async () => {
  const { text, status, headers } = await ask('/llms.txt')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text).toMatch(/^# Switchyard\n\n> [^#]+\n\n## Reference\n\n(- \[[^\]]+\]\([^)]+\): .+\n)+$/)
  const links = linksIn(text)
  expect(links).toEqual(['/openapi.json', '/llms-full.txt', '/docs'])
  for (const link of links) expect([link, (await ask(link)).status]).toEqual([link, 200])
})

test('every API name in llms.txt is in the document', async () => {
  const [{ text }, { text: document }] = await Promise.all([ask('/llms.txt'), ask('/openapi.json')])
  const named = [...text.matchAll(/`(?:[A-Z]+ )?([^`]+)`/g)].map(([, name]) => name!)
  expect(named.length).toBeGreaterThan(10)
  const told = document.toLowerCase()
  expect(named.filter((name) => !told.includes(name.replace('data.id', 'seq').toLowerCase()))).toEqual([])
})

test('the long text is the document’s introduction', async () => {
  const [{ text }, { json }] = await Promise.all([ask('/llms-full.txt'), ask('/docs/json')])
  expect(text).toBe(`# Switchyard\n\n${json.info.description}\n`)
})

test('the catalogue is a set of links that work without a key', async () => {
  const { text, headers } = await ask('/.well-known/api-catalog')
  expect(headers.get('content-type')).toStartWith('application/linkset+json')
  const targets = Object.entries(JSON.parse(text).linkset[0] as object).flatMap(([, links]) =>
    Array.isArray(links) ? links.map(({ href, type }) => [href, type]) : [],
  )
  expect(targets.length).toBe(3)
  for (const [href, type] of targets) {
    const answer = await ask(href)
    expect([href, answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([href, 200, type])
  }
})

test('the links are absolute if the service knows its address', async () => {
  const { ask: asked } = apiWorld({ docs: { version: '1', serverUrl: 'https://switchyard.test/' } })
  const links = linksIn((await asked('/llms.txt')).text)
  expect(links.every((link) => link.startsWith('https://switchyard.test/'))).toBe(true)
  const catalog = await asked('/.well-known/api-catalog')
  expect(JSON.parse(catalog.text).linkset[0].anchor).toBe('https://switchyard.test/api')
  expect((await api.handle(new Request('http://localhost/llms.txt', { method: 'POST' }))).status).toBe(405)
})
