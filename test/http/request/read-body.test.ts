import { expect, test } from 'bun:test'
import { readBody } from '../../../src/http/request/read-body'
import { testAll } from '../../support/test-all'

const reading = async (body: string | Uint8Array<ArrayBuffer>) =>
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
])('a body must be an object, and a list is refused', async (body, expected) => {
  expect(await reading(body)).toEqual(expected)
})

test('an ambiguous body is refused: a name twice in one object, or bytes that are not UTF-8', async () => {
  const bodies: [string | Uint8Array<ArrayBuffer>, unknown][] = [
    ['{"a":1,"a":1}', 'MALFORMED_BODY'],
    ['{"a":1, "\\u0061" :2}', 'MALFORMED_BODY'],
    ['{"b":[{"c":{}},{"a":"x,\\"","a":1}]}', 'MALFORMED_BODY'],
    ['{"__proto__":1,"__proto__":2}', 'MALFORMED_BODY'],
    [`{"a":"${'x'.repeat(300)}","a":""}`, 'MALFORMED_BODY'],
    ['{"a":{"a":1},"b":[{"a":1},{"a":2},"a","a"],"c":"a"}', { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }, 'a', 'a'], c: 'a' }],
    ['{"a":"\\"a\\":","b":"\\\\","é":1,"É":2}', { a: '"a":', b: '\\', é: 1, É: 2 }],
    ['\ufeff{"a":1}', { a: 1 }],
    [new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), 'MALFORMED_BODY'],
    ['{"a"', 'MALFORMED_BODY'],
    ['{"a', 'MALFORMED_BODY'],
    ['{"a\\', 'MALFORMED_BODY'],
    [']}{"a":1}', 'MALFORMED_BODY'],
  ]
  for (const [body, expected] of bodies) expect([body, await reading(body)]).toEqual([body, expected])
})
