import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { signedHeaders } from '../../src/domain/webhook/signature'
import { isNewPython } from '../support/kept-tools'
import { temporaryFolder } from '../support/temporary-folder'
import { testWith } from '../support/tools'

type Snippet = {
  isGenuine: (secret: string, headers: Record<string, string>, body: string, now?: number) => boolean
}

const path = join(import.meta.dir, '../../examples/verify/webhook.mjs')
let snippet: Snippet
beforeAll(async () => {
  snippet = await import(path)
})

const secret = 'whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0='
const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const now = 1_795_255_262_000
const [id, body] = ['evt_1', '{"id":"evt_1","text":"für"}']

test('the example of the integrators’ guide accepts signed requests, also during a rotation', () => {
  for (const secrets of [[secret], [other, secret]])
    expect(snippet.isGenuine(secret, signedHeaders({ id, body }, secrets, now), body, now)).toBe(true)
})

test('the example rejects a different secret, body, id or time, and a missing signature', () => {
  const headers = signedHeaders({ id, body }, [secret], now)
  const genuine = (changed: Record<string, string>, sent = body, at = now, by = secret) =>
    snippet.isGenuine(by, { ...headers, ...changed }, sent, at)
  expect(genuine({}, body, now, other)).toBe(false)
  expect(genuine({}, `${body} `)).toBe(false)
  expect(genuine({ 'webhook-id': 'evt_2' })).toBe(false)
  for (const at of [now - 301_000, now + 301_000]) expect(genuine({}, body, at)).toBe(false)
  for (const signature of ['', 'v1,', 'v2,AAAA', headers['webhook-signature']!.replace('v1', 'v1a')])
    expect(genuine({ 'webhook-signature': signature })).toBe(false)
  expect(snippet.isGenuine(secret, {}, body, now)).toBe(false)
  // A signature by an empty key, which anyone could make.
  for (const missing of ['', 'whsec_', 'undefined'])
    expect(() => snippet.isGenuine(missing, headers, body, now)).toThrow('The secret is missing')
})

const pythonCases = `
import json, sys
sys.path.insert(0, sys.argv[1])
from hooks import is_genuine
cases = json.load(sys.stdin)
print(json.dumps([is_genuine(c["secret"], c["headers"], c["body"].encode(), c["now"]) for c in cases]))
try:
    is_genuine("whsec_", cases[0]["headers"], b"", cases[0]["now"])
except ValueError as error:
    print(error)
`

const byPython = testWith('Python 3.11', isNewPython())
byPython('the Python example accepts exactly the signed requests', async () => {
  const folder = temporaryFolder('python-hooks')
  await Bun.write(join(folder, 'hooks.py'), Bun.file('examples/python/hooks.py'))
  const headers = signedHeaders({ id, body }, [other, secret], now)
  const seconds = now / 1_000
  const case_ = (changed: object = {}, sent: object = {}) => ({
    secret,
    headers: { ...headers, ...changed },
    body,
    now: seconds,
    ...sent,
  })
  const cases = [
    case_(),
    case_({}, { secret: other }),
    case_({}, { secret: `whsec_${Buffer.alloc(32, 2).toString('base64')}` }),
    case_({}, { body: `${body} ` }),
    case_({ 'webhook-id': 'evt_2' }),
    case_({}, { now: seconds + 301 }),
    case_({}, { now: seconds - 301 }),
    ...['', 'v1,', 'v2,AAAA', 'v1,ü'].map((signature) => case_({ 'webhook-signature': signature })),
    ...['', '-1', '1e9', '²'].map((timestamp) => case_({ 'webhook-timestamp': timestamp })),
    { ...case_(), headers: {} },
  ]
  const run = Bun.spawn(['python3', '-c', pythonCases, folder], {
    stdin: Buffer.from(JSON.stringify(cases)),
    stdout: 'pipe',
  })
  const [said, error] = (await new Response(run.stdout).text()).split('\n')
  expect([JSON.parse(said!), error]).toEqual([cases.map((_, n) => n < 2), 'The secret is missing'])
})
