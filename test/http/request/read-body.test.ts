import { expect } from 'bun:test'
import { readBody } from '../../../src/http/request/read-body'
import { testAll } from '../../support/test-all'

const reading = async (body: string) =>
  readBody(
    new Request('http://localhost/', { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    1_000,
  ).then(
    (read) => read,
    ({ code }: { code: string }) => code,
  )

testAll([
  ['{}', {}],
  ['{"type":"webhook.test"}', { type: 'webhook.test' }],
  ['[]', 'VALIDATION_FAILED'],
  ['[null,null]', 'VALIDATION_FAILED'],
  ['[{"type":"webhook.test"}]', 'VALIDATION_FAILED'],
  ['{', 'MALFORMED_BODY'],
])('a body is an object, and a list of whatever is none', async (body, expected) => {
  expect(await reading(body)).toEqual(expected)
})
