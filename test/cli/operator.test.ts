import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { zeroAddress } from '../../src/domain/chain/hex'

const main = join(import.meta.dir, '..', '..', 'src', 'cli', 'main.ts')

type Answer = { status?: number; body?: unknown; code?: string }
let answers: Record<string, Answer> = {}
let asked: string[] = []
let sent: unknown
const api = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.body) sent = await request.json()
    const { pathname, search } = new URL(request.url)
    asked.push(`${request.method} ${pathname}${search}`)
    const { status = 200, body = null, code } = answers[`${request.method} ${pathname}`] ?? { status: 404 }
    const headers = new Headers(code ? { 'x-error-code': code } : {})
    return body === null ? new Response(null, { status }) : Response.json(body, { status, headers })
  },
})
afterAll(() => api.stop(true))

async function operator(...args: string[]) {
  asked = []
  const env = { ...process.env, SWITCHYARD_API_URL: api.url.href, SWITCHYARD_API_KEY: 'sy_live_key' }
  const run = Bun.spawn([process.execPath, main, 'operator', ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  return { code: await run.exited, out, err }
}
const reason = ['--reason', 'a test']

test('a command names every missing option, and refuses a too short reason, before it sends a request', async () => {
  const missing = await operator('redrive', 'exe')
  expect(missing.err).toContain("missing '--reason <text>' and '--intent <which>'")
  expect((await operator('retry', 'exe', '--reason', 'no ')).err).toContain('It must have 3 to 500 characters.')
  expect((await operator('scan', '--help')).out.match(/\(required\)/g)).toHaveLength(4)
  expect(asked).toEqual([])
})

test('pause and resume report their action, and the organization that the scope "organization" means', async () => {
  const pause = { scope: 'organization', version: '3', until: null, createdAt: '', reason: '' }
  answers = {
    'PUT /api/operator/pauses/organization': { body: pause },
    'DELETE /api/operator/pauses/all': { status: 204 },
    'GET /api/operator/pauses': { body: [{ ...pause, scope: 'all', reason: 'A thief has a key' }] },
  }
  const said = (await operator('pause', 'organization', ...reason)).out
  expect(said).toBe('Paused: the organization of SWITCHYARD_API_KEY, until it is resumed\n')
  const resumed = 'Resumed: all, paused because: A thief has a key\n'
  expect((await operator('resume', 'all', ...reason)).out).toBe(resumed)
  expect(asked.at(-1)).toBe('DELETE /api/operator/pauses/all?reason=a%20test&version=3')
  const coin = `token:137:0x${'e'.repeat(40)}`
  answers[`DELETE /api/operator/pauses/${encodeURIComponent(coin)}`] = { status: 204 }
  answers['GET /api/operator/pauses'] = { body: [{ ...pause, scope: `token:137:${zeroAddress}` }] }
  expect((await operator('resume', coin, ...reason)).out).toStartWith(`Resumed: ${coin}, paused because: `)
  expect(asked.at(-1)).toEndWith('&version=3')
  answers['GET /api/operator/pauses'] = { body: [] }
  expect((await operator('resume', 'all', ...reason)).out).toBe('It was not paused: all\n')
  expect((await operator('pause', 'all', '--organization', 'sandbox', ...reason)).code).toBe(1)
})

test('a pause that is in force is shown, and replaced only by the version that its author names', async () => {
  const pause = { scope: 'all', version: '3', until: null, createdAt: '2026-11-21T10:00:00.000Z', reason: 'A thief' }
  const body = { message: 'This is paused already' }
  answers = {
    'GET /api/operator/pauses': { body: [{ ...pause, scope: 'chain:8453' }] },
    'PUT /api/operator/pauses/all': { body: pause },
  }
  expect((await operator('pause', 'all', ...reason)).code).toBe(0)
  expect(sent).toEqual({ reason: 'a test', until: null, version: null })
  answers['PUT /api/operator/pauses/all'] = { status: 409, body, code: 'CHANGED_MEANWHILE' }
  expect((await operator('pause', 'all', ...reason)).err).toContain('This is paused already (409 CHANGED_MEANWHILE)')
  answers = { 'GET /api/operator/pauses': { body: [pause] }, 'PUT /api/operator/pauses/all': { body: pause } }
  const until = ['--until', '2026-11-21T11:00:00.000Z']
  expect((await operator('pause', 'all', ...until, ...reason)).err).toContain(
    'all has been paused since 2026-11-21T10:00:00.000Z, until it is resumed, because: A thief. ' +
      'To replace that pause, add --seen 3.',
  )
  expect(asked).toEqual(['GET /api/operator/pauses'])
  expect((await operator('pause', 'all', '--seen', '3', ...until, ...reason)).code).toBe(0)
  expect(sent).toEqual({ reason: 'a test', until: until[1], version: '3' })
})

test('the scope "organization" is the pause of the key’s own organization, not one that the platform’s key also reads', async () => {
  const pause = { scope: 'organization', until: null, createdAt: '2026-11-21T10:00:00.000Z', reason: 'A thief' }
  const other = { ...pause, isOwn: false, version: '3-org_b', organizationId: 'org_b', reason: 'Our audit' }
  const own = { ...pause, isOwn: true, version: '1-org_p', organizationId: 'org_p' }
  const path = '/api/operator/pauses/organization'
  answers = {
    'GET /api/operator/pauses': { body: [other] },
    [`PUT ${path}`]: { body: own },
    [`DELETE ${path}`]: { status: 204 },
  }
  expect((await operator('pause', 'organization', ...reason)).out).toStartWith('Paused: the organization of ')
  expect(sent).toEqual({ reason: 'a test', until: null, version: null })
  expect((await operator('resume', 'organization', ...reason)).out).toStartWith('It was not paused: ')
  expect(asked.at(-1)).toBe(`DELETE ${path}?reason=a%20test`)
  answers['GET /api/operator/pauses'] = { body: [other, own] }
  expect((await operator('pause', 'organization', ...reason)).err).toContain('because: A thief. To replace')
  expect((await operator('resume', 'organization', ...reason)).out).toContain('paused because: A thief')
  expect(asked.at(-1)).toBe(`DELETE ${path}?reason=a%20test&version=1-org_p`)
  const shown = (await operator('pauses')).out
  expect(shown).toMatch(/^organization +3-org_b +org_b .*Our audit$/m)
  expect(shown).toMatch(/^organization +1-org_p +your own .*A thief$/m)
})

test('a command that ends or redirects something sends the version that was seen, and a change is reported', async () => {
  const id = 'token:8453:0xab'
  const entry = { id, version: '7', listedAs: 'SCAM', source: 'MANUAL', reason: 'It imitates USDC' }
  const pause = { scope: 'all', version: '3', until: null, createdAt: '', reason: 'r' }
  const current = { version: 9, targetAddress: '0xcurrent', targetChainKey: 'base', refundAddress: '0xrefund' }
  const original = { version: 7, targetAddress: '0xoriginal', targetChainKey: 'polygon' }
  const amount = { amountIn: '25000000', fromTokenSymbol: 'USDC', fromTokenDecimals: 6 }
  const seen = { id: 'exe', seq: 12, ...amount, intent: original, currentIntent: current }
  answers = {
    'GET /api/operator/pauses': { body: [pause] },
    'GET /api/operator/blacklist': { body: [{ ...entry, id: 'address:*:0xab', version: '9' }, entry] },
    [`DELETE /api/operator/blacklist/${encodeURIComponent(id)}`]: { status: 204 },
    'POST /api/operator/executions/exe/redrive': {
      status: 202,
      body: { id: 'exe:r1', redriveOf: 'exe', amountIn: '1' },
    },
    'POST /api/operator/executions/exe/refund': {
      status: 202,
      body: { id: 'exe:r1', redriveOf: 'exe', amountIn: '1' },
    },
    'POST /api/operator/executions/exe/approve': { status: 202, body: { id: 'exe', next: { message: '' } } },
    'POST /api/operator/executions/exe/dead-letter': {
      status: 202,
      body: { id: 'exe', status: 'DEAD_LETTER', next: { message: '' } },
    },
    'GET /api/executions/exe': { body: seen },
  }
  const because = 'reason=a%20test'
  expect((await operator('unlist', id, ...reason)).out).toContain('because: It imitates USDC')
  expect(asked).toEqual([
    'GET /api/operator/blacklist?kind=TOKEN&address=0xab',
    `DELETE /api/operator/blacklist/${encodeURIComponent(id)}?${because}&version=7`,
  ])
  answers['DELETE /api/operator/blacklist/token%3A8453%3A0xee'] = { status: 204 }
  await operator('unlist', 'token:8453:0xee', ...reason) // another name of what the entry lists
  expect(asked.at(-1)).toEndWith(`${because}&version=7`)
  answers['POST /api/operator/blacklist'] = { body: entry }
  const scam = { kind: 'TOKEN', chainId: null, address: '0xab', listedAs: 'SCAM', reason: 'a test', expiresAt: null }
  await operator('list', '0xab', '--kind', 'token', ...reason)
  expect(sent).toEqual(scam)
  await operator('list', '0xab', '--kind', 'token', '--seen', '7', ...reason)
  expect(sent).toEqual({ ...scam, version: '7' })
  await operator('redrive', 'exe', '--intent', 'current', '--intent-version', '4', ...reason)
  expect(sent).toEqual({ reason: 'a test', intent: 'CURRENT', intentVersion: 4 })
  await operator('refund', 'exe', '--intent-version', '4', ...reason)
  expect(sent).toEqual({ reason: 'a test', intentVersion: 4 })
  await operator('approve', 'exe', '--amount-out-min', '24', '--seq', '4', ...reason)
  expect(sent).toEqual({ reason: 'a test', amountOutMin: '24', seq: 4 })
  await operator('dead-letter', 'exe', '--seq', '4', ...reason)
  expect(sent).toEqual({ reason: 'a test', seq: 4 })
  // Without an option, a command prints what it acts on, and sends the version that it printed.
  const acting = async (...args: string[]) => [(await operator(...args, ...reason)).out.split('\n')[0], sent]
  const lead = 'exe: 25 USDC'
  expect(await acting('redrive', 'exe', '--intent', 'current')).toEqual([
    `${lead}, pays 0xcurrent on base, by intent version 9`,
    { reason: 'a test', intent: 'CURRENT', intentVersion: 9 },
  ])
  expect(await acting('redrive', 'exe', '--intent', 'original')).toEqual([
    `${lead}, pays 0xoriginal on polygon, by intent version 7`,
    { reason: 'a test', intent: 'ORIGINAL', intentVersion: 9 },
  ])
  expect(await acting('refund', 'exe')).toEqual([
    `${lead}, refunds 0xrefund, by intent version 9`,
    { reason: 'a test', intentVersion: 9 },
  ])
  expect(await acting('approve', 'exe', '--amount-out-min', '24')).toEqual([
    `${lead}, pays 0xoriginal on polygon, by intent version 7, state 12`,
    { reason: 'a test', amountOutMin: '24', seq: 12 },
  ])
  expect(await acting('dead-letter', 'exe')).toEqual([`${lead}, state 12`, { reason: 'a test', seq: 12 }])
  answers['GET /api/executions/exe'] = { status: 404, body: { message: 'None' }, code: 'EXECUTION_NOT_FOUND' }
  answers['GET /api/deposits/exe'] = { body: { ...seen, seq: 3, intent: undefined } }
  expect((await acting('dead-letter', 'exe'))[1]).toEqual({ reason: 'a test', seq: 3 })
  const body = { statusCode: 409, message: 'It has changed since you saw it', error: 'Conflict' }
  answers['DELETE /api/operator/pauses/all'] = { status: 409, body, code: 'CHANGED_MEANWHILE' }
  expect((await operator('resume', 'all', '--seen', '2', ...reason)).err).toContain('(409 CHANGED_MEANWHILE)')
  expect(asked.at(-1)).toBe(`DELETE /api/operator/pauses/all?${because}&version=2`)
  expect((await operator('pauses')).out).toMatch(/^all +3 /m) // what --seen takes
})

test('the states show the number of superseded executions, which need no action', async () => {
  const oldestAt = '2026-11-22T21:07:53.923Z'
  const counted = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', count: 8, superseded: 4, oldestAt }
  const running = { ...counted, state: 'RUNNING', status: 'RUNNING', count: 3, superseded: 0 }
  answers = { 'GET /api/operator/states': { body: [counted, running] } }
  const [names, , dead, live] = (await operator('states')).out.split('\n').map((line) => line.trim().split(/\s+/))
  expect(names).toEqual(['state', 'status', 'count', 'superseded', 'oldest'])
  expect(dead).toEqual(['DEAD_LETTER', 'DEAD_LETTER', '8', '4', oldestAt])
  expect(live).toEqual(['RUNNING', 'RUNNING', '3', oldestAt])
})

test('a job names each execution that refused, with its status and its next step', async () => {
  const next = { message: 'Delivered.' }
  answers = {
    'GET /api/executions': { body: [{ id: 'one' }, { id: 'two' }] },
    'POST /api/operator/jobs': { status: 202, body: { id: 'job_1', matched: 2 } },
    'GET /api/operator/jobs/job_1': { body: { state: 'DONE', done: 1, failed: 1 } },
    'GET /api/operator/audit': { body: [] },
    'GET /api/executions/one': { body: { id: 'one', status: 'SUCCESS', next } },
    'GET /api/executions/two': { body: { id: 'two', status: 'RUNNING', next } },
  }
  const { out } = await operator('job', 'retry', '--filter', 'userId=alice', ...reason)
  expect(out).toContain('DONE: 1 done, 1 refused\nrefused: one is SUCCESS. Delivered.\n')
  expect(asked[0]).toBe('GET /api/executions?status=FAILED&userId=alice&limit=100')
  const cause = (at: string) => ({ cause: { at }, createdAt: '2026-11-21T09:00:00.000Z' })
  const late = { id: 'two', ...cause('2026-11-21T10:00:00.001Z') }
  answers['GET /api/executions'] = { body: [{ id: 'one', ...cause('2026-11-21T10:00:00.000Z') }, late] }
  const seen = ['--seen-at', '2026-11-21T11:00:00+01:00', ...reason]
  const bound = (await operator('job', 'retry', '--filter', 'userId=alice', ...seen)).out
  expect(bound.match(/refused: .*/g)).toEqual(['refused: one is SUCCESS. Delivered.'])
})

test('a job names the time at which its author saw the executions; by default the service’s clock decides', async () => {
  answers = {
    'GET /api/executions': { body: [] },
    'POST /api/operator/jobs': { status: 202, body: { id: 'job_1', matched: 0 } },
    'GET /api/operator/jobs/job_1': { body: { state: 'DONE', done: 0, failed: 0 } },
  }
  const seenAt = async (...args: string[]) => {
    await operator('job', 'retry', '--filter', 'userId=alice', ...args, ...reason)
    return (sent as { seenAt?: string }).seenAt
  }
  expect(await seenAt()).toBeUndefined()
  expect(await seenAt('--seen-at', '2026-11-21T10:00:00Z')).toBe('2026-11-21T10:00:00Z')
})

test('an empty list is shown as a sentence, and a deposit without an execution by its own id', async () => {
  const late = {
    kind: 'WORTH',
    by: '2026-11-21T10:00:00.000Z',
    executionId: null,
    depositId: 'dep:1',
    message: 'It waits.',
  }
  answers = { 'GET /api/operator/overdue': { body: [] }, 'GET /api/operator/states': { body: [] } }
  expect((await operator('overdue')).out).toBe('Nothing is overdue.\n')
  expect((await operator('states')).out).toBe('There are no executions.\n')
  answers = { 'GET /api/operator/overdue': { body: [late] } }
  expect((await operator('overdue')).out).toContain('dep:1')
})

test('an approval shows its consequence, even if the execution has ended by that time', async () => {
  const next = { message: 'Delivered.' }
  const amount = { amountIn: '25', fromTokenSymbol: 'RARE', fromTokenDecimals: null }
  answers = {
    'GET /api/executions/exe': { body: { id: 'exe', seq: 1, ...amount, intent: null } },
    'POST /api/operator/executions/exe/approve': { status: 202, body: { id: 'exe', next } },
  }
  const { out } = await operator('approve', 'exe', '--amount-out-min', '24', ...reason)
  expect(out).toBe(
    'exe: 25 atomic units of RARE, pays an unknown recipient, state 1\n' +
      'exe: 24 atomic units or more approved. Delivered.\n',
  )
})

test('a key without permission is answered with the kind of key that has it', async () => {
  const body = { statusCode: 403, message: 'Insufficient permissions', error: 'Forbidden' }
  answers = { 'GET /api/operator/states': { status: 403, body, code: 'INSUFFICIENT_PERMISSIONS' } }
  expect((await operator('states')).err).toStartWith('Insufficient permissions: this needs an OPERATOR key')
})
