import { expect, test } from 'bun:test'
import { checkOrigin } from '../../../src/http/dashboard/origin'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { testAll } from '../../support/test-all'

const world = await membersWorld()

testAll([
  ['a page', '/app'],
  ['a document', '/docs/json'],
  ['a response for programs', '/api/health'],
  ['a refusal', '/api/executions'],
  ['an unknown address', '/api/nothing'],
  ['a response for the pages', '/app/api/keys'],
  ['a sign-in response', '/app/auth/get-session'],
])('every response forbids content sniffing', async (_what, path) => {
  expect((await world.ask(path)).headers.get('x-content-type-options')).toBe('nosniff')
})

test('the documentation stores no key in the browser after its page is closed', async () => {
  const { text } = await world.ask('/docs/assets/start.js')
  expect(text).toContain('persistAuthorization: false')
})

const isAdmitted = (sent: string, host: string, origin = 'https://switchyard.example') => {
  const request = new Request('http://here/app/api/keys', { method: 'POST', headers: { origin: sent, host } })
  try {
    checkOrigin(request, origin)
    return true
  } catch {
    return false
  }
}

testAll([
  ['the configured origin', 'https://switchyard.example', 'switchyard.example', true],
  ['an address that the page was opened by', 'http://10.0.0.7:3000', '10.0.0.7:3000', true],
  ['this machine', 'http://localhost:3000', 'localhost:3000', true],
  ['this machine by IPv6', 'http://[::1]:3000', '[::1]:3000', true],
  ['a foreign name that resolves here', 'http://evil.example:3000', 'evil.example:3000', false],
  ['a name that begins like an address', 'http://10.0.0.7.evil.example', '10.0.0.7.evil.example', false],
  ['another address than the one asked', 'http://10.0.0.8:3000', '10.0.0.7:3000', false],
])('a change is accepted only from our own origins', (_what, sent, host, expected) => {
  expect(isAdmitted(sent, host)).toBe(expected)
})
