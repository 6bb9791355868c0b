import { expect, test } from 'bun:test'
import { createLog, loggableError } from '../../../src/app/logging/log'
import { levels, logLines } from '../../../src/app/logging/log-lines'
import { onFailureOf, steadily } from '../../../src/app/logging/outcome-log'
import { RoutingError } from '../../../src/domain/error'
import { attentionStatuses } from '../../../src/domain/execution/status'
import { apiWorld } from '../../http/world'
import { testAll } from '../../support/test-all'

test('every event that waits for a person is at least a warning, and every level has a meaning', () => {
  for (const status of attentionStatuses) expect(logLines[`EXECUTION_${status}`].level, status).toBe('warn')
  for (const { level, message } of Object.values(logLines)) {
    expect(Object.keys(levels)).toContain(level)
    expect(message).not.toBe('')
  }
})

test('a flapping connection is logged once as lost, and once as back when it stays', async () => {
  const said: string[] = []
  const isBack = Promise.withResolvers<void>()
  const write = (event: string) => {
    said.push(event)
    if (event === 'MONGODB_BACK') isBack.resolve()
  }
  const { changed } = steadily({ write } as never, { back: 'MONGODB_BACK', lost: 'MONGODB_LOST' }, 1)
  for (const isThere of [true, false, true, false, false, true, false, true]) changed(isThere)
  expect(said).toEqual(['MONGODB_LOST'])
  await isBack.promise
  changed(false)
  expect(said).toEqual(['MONGODB_LOST', 'MONGODB_BACK', 'MONGODB_LOST'])
})

test('the whole chain of causes is logged with names, codes and statuses, without URLs, keys and responses', () => {
  const key = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'
  const refused = new Error(`Invalid API key ${key} at https://rpc.example/v2/${key}`)
  const socket = Object.assign(new Error(`connect to wss://user:${key}@node.example failed`), { code: 'ECONNREFUSED' })
  const answered = new RoutingError('PROVIDER_REFUSED', { cause: { status: 400, body: { code: 1002, message: key } } })
  const deep = new Error('outermost', { cause: new AggregateError([socket, answered], 'both', { cause: refused }) })
  const said = JSON.stringify(loggableError(deep))
  expect(said).not.toContain(key)
  expect(said).not.toContain('example')
  expect(said).not.toContain('[object')
  expect(loggableError(deep)).toMatchObject({
    message: 'outermost',
    cause: {
      message: 'both',
      errors: [
        { code: 'ECONNREFUSED' },
        { name: 'RoutingError', code: 'PROVIDER_REFUSED', cause: { status: 400, code: 1002 } },
      ],
      cause: { message: 'Invalid API key [secret] at [url]' },
    },
  })
})

testAll([
  ['nothing', undefined],
  ['null', null],
  ['a word', 'gone'],
  ['an object', { a: { b: 1 } }],
  ['a list', [1, { b: 2 }]],
  ['a cause that is itself', Object.assign(new Error('round'), {})],
])('any thrown value is logged in readable form', (_what, thrown) => {
  const error = new Error('it failed', { cause: thrown })
  if (thrown instanceof Error) thrown.cause = thrown
  for (const each of [thrown, error])
    expect(JSON.stringify(loggableError(each)) ?? 'undefined').not.toContain('[object')
})

test('an unreachable provider is logged as such once a minute, and a bug each time as a bug', async () => {
  const said: { event: string; code?: unknown }[] = []
  const log = { ...createLog('silent'), write: (event: string, fields = {}) => void said.push({ event, ...fields }) }
  const noteBug = onFailureOf(log, () => 0)
  const cause = { status: 503, body: { message: 'down' } }
  const world = apiWorld({
    noteBug,
    preview: async () => {
      throw new RoutingError('PROVIDER_FAILED', { cause })
    },
  })
  await world.organization('org_a')
  const key = await world.key('org_a')
  const body = {
    userId: 'user-1',
    fromChainId: 8453,
    fromTokenSymbol: 'USDC',
    amountInAtomic: '25000000',
    overrideTargetChainId: 42161,
    overrideTargetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    overrideTargetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
  }
  for (let n = 0; n < 3; n++) expect((await world.ask('/api/routing/simulate-deposit', { key, body })).status).toBe(503)
  expect(said).toMatchObject([{ event: 'REQUEST_UNANSWERED', code: 'PROVIDER_UNAVAILABLE' }])
  for (let n = 0; n < 2; n++) noteBug(new Error('odd'), { requestId: 'r', route: '/x', code: 'INTERNAL_ERROR' })
  expect(said.slice(1).map(({ event }) => event)).toEqual(['REQUEST_UNEXPECTED', 'REQUEST_UNEXPECTED'])
})

test('a line about a deposit or one of its executions has their common trace', async () => {
  const program = `
    const { createLog } = await import('./src/app/logging/log')
    const log = createLog('info')
    const hash = '0x' + 'ab'.repeat(32)
    log.write('DEPOSIT_SEEN', { deposit: '8453:' + hash + ':3' })
    log.write('EXECUTION_DEAD_LETTER', { execution: '8453:' + hash + ':3:r2' })
    log.write('STARTED')
    await log.close()`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  const lines = (await new Response(child.stdout).text()).trim().split('\n')
  const [seen, ended, started] = lines.map((line) => JSON.parse(line))
  expect(seen).toMatchObject({ level: 'info', event: 'DEPOSIT_SEEN', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) })
  expect(ended).toMatchObject({ level: 'warn', traceId: seen.traceId })
  expect(started.traceId).toBeUndefined()
})

test('every line is written, in order, before a process ends itself', async () => {
  const program = `
    const { createLog } = await import('./src/app/logging/log')
    const log = createLog('info')
    for (let n = 0; n < 2000; n++) log.write('STARTED', { n })
    await log.close()
    log.write('STOPPED')
    process.exit(0)`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  const lines = (await new Response(child.stdout).text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 2000 }, (_, n) => n))
})
