import { expect, test } from 'bun:test'
import { createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core'
import { peopledWorld } from './world'

const { ask, api } = await peopledWorld()
const { json: document } = await ask('/docs/json')

type Operation = {
  operationId: string
  tags: string[]
  parameters?: { name: string; description?: string; example?: unknown }[]
  responses: Record<
    string,
    { description: string; content?: Record<string, { example?: unknown; examples?: unknown }> }
  >
}
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('the document passes the linter without a word', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const linted = makeDocumentFromString(JSON.stringify(document, null, 1), '/openapi.json')
  const problems = await lintDocument({ document: linted, config, externalRefResolver: {} as never })
  // Health refuses nobody: it has no 4xx to document.
  const refusing = problems.filter(({ location }) => !location[0]?.pointer?.includes('~1api~1health/'))
  const said = refusing.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
  expect(said).toEqual([])
}, 30_000)

test('the document has every endpoint that takes a key, and health', () => {
  const documented = new Set(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`))
  const served = (api.routes as { method: string; path: string }[])
    .filter(({ path }) => path.startsWith('/api/'))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect([...documented].toSorted()).toEqual([...new Set(served)].toSorted())
})

test.each(operations.map(({ path, method, operation }) => [`${method.toUpperCase()} ${path}`, operation] as const))(
  '%s: every parameter and every answer is described and has an example',
  (_name, { parameters = [], responses }) => {
    for (const { name, description, example } of parameters) {
      expect([name, typeof description]).toEqual([name, 'string'])
      expect([name, example]).not.toEqual([name, undefined])
    }
    for (const [status, { description, content = {} }] of Object.entries(responses)) {
      expect(description.length).toBeGreaterThan(0)
      for (const { example, examples } of Object.values(content))
        expect([status, example ?? examples]).not.toEqual([status, undefined])
    }
  },
)

type Schema = { properties?: Record<string, Schema & { description?: string; examples?: unknown[]; $ref?: string }> }

test.each(Object.entries(document.components.schemas as Record<string, Schema>))(
  'schema %s: every field is described and has a real example',
  (_name, { properties = {} }) => {
    const mute = Object.entries(properties)
      .filter(([, field]) => !('$ref' in field) && !isListOfModels(field))
      .filter(([, { description, examples }]) => !description || !examples?.length)
    expect(mute.map(([name]) => name)).toEqual([])
  },
)

const isListOfModels = (field: object): boolean => 'items' in field || 'anyOf' in field || 'properties' in field

test('the page and its parts come from here and from nowhere else', async () => {
  const { text, status, headers } = await ask('/docs')
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain("default-src 'self'")
  const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part!)
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts) {
    expect(part.startsWith('/docs/assets/')).toBe(true)
    expect((await ask(part)).status).toBe(200)
  }
})
