import { expect, test } from 'bun:test'
import type { ExecutionAnswer } from '../../src/cli/client/api'
import { type FollowOptions, followToEnd } from '../../src/cli/terminal/follow'
import type { DepositView } from '../../src/http/views/deposit'

const deposit = { chainId: 8453, token: '0xToken', hash: '0xabc' } as const
const message = 'Routing is paused; it goes on when the pause ends.'
const seen = (stage: string) =>
  ({
    id: '8453:0xabc:1',
    fromChainId: 8453,
    fromTokenAddress: '0xtoken',
    depositTxHash: '0xabc',
    stage,
    next: { message },
  }) as unknown as DepositView
const failed = { ...seen('ROUTED'), status: 'FAILED', retryCount: 3, lastErrorCode: null } as unknown as ExecutionAnswer

async function followed(
  deposits: DepositView[],
  executions: ExecutionAnswer[] = [],
  change: Partial<FollowOptions> = {},
) {
  const waits: string[] = []
  const said = await followToEnd({
    api: {
      execution: async () => ({ next: { message: 'Read on.' } }) as never,
      deposits: async () => deposits,
      executions: async () => executions,
    },
    userId: 'alice',
    deposit,
    existing: new Set(['8453:0xabc:0']),
    load: async () => null,
    onStatus: () => {},
    onWait: (line) => waits.push(line),
    settledMs: 0,
    timeoutMs: 90,
    ...change,
  }).then(
    () => 'ended',
    (error) => (error as Error).message,
  )
  return { waits, said }
}

test('a deposit that waits before it has an execution is reported with its stage', async () => {
  const { waits, said } = await followed([seen('PAUSED')])
  expect(waits).toEqual([`PAUSED: ${message}`])
  expect(said).toBe(`The deposit 8453:0xabc:1 is in stage PAUSED after 0.09 s. ${message}`)
})

test('a waiting execution is reported with what it waits for', async () => {
  const { waits, said } = await followed([seen('ROUTED')], [failed])
  expect(waits).toEqual([message])
  expect(said).toBe(`The deposit 0xabc, execution 8453:0xabc:1, is still FAILED after 0.09 s. ${message}`)
})

test('the id that operators act on is reported once, as soon as the deposit is seen', async () => {
  for (const executions of [[], [failed]]) {
    const found: string[] = []
    await followed([seen('ROUTED')], executions, { onDetected: (id) => found.push(id) })
    expect(found).toEqual(['8453:0xabc:1'])
  }
})

test('the end of a superseded execution is explained once, by its successor', async () => {
  const dead = { ...failed, status: 'DEAD_LETTER' as const, lastErrorMessage: 'The money came back.' }
  const next = { action: 'FOLLOW', message: 'Superseded: it came back. Follow execution x.' }
  const api = { deposits: async () => [], executions: async () => [dead], execution: async () => ({ next }) as never }
  expect((await followed([], [], { api })).said).toBe(`Execution ${dead.id} ended DEAD_LETTER: ${next.message}`)
})

test('earlier deposits and momentary waits are not reported', async () => {
  const earlier = { ...seen('PAUSED'), id: '8453:0xabc:0' }
  expect(await followed([earlier])).toEqual({
    waits: [],
    said: 'The deposit 0xabc is not seen by the service after 0.09 s.',
  })
  expect((await followed([seen('CONFIRMING')], [], { settledMs: 1_000 })).waits).toEqual([])
})

test('an execution that did not succeed is reported once with its reason and its next step', async () => {
  const dead = {
    ...failed,
    status: 'DEAD_LETTER' as const,
    lastErrorCode: 'DEAD_LETTER',
    lastErrorMessage: 'It was refused.',
  }
  const { said } = await followed([], [dead])
  expect(said).toBe('Execution 8453:0xabc:1 ended DEAD_LETTER: It was refused. Read on.')
  expect((await followed([], [{ ...dead, lastErrorMessage: 'Read on.' }])).said).toEndWith('DEAD_LETTER: Read on.')
})

test('refunded money is followed to the execution that continues with it, whose end decides', async () => {
  const [id, next] = ['8453:0xabc:1', '8453:0xback:0']
  const dead = { ...failed, id, status: 'DEAD_LETTER' as const, lastErrorMessage: 'It came back.' }
  const after = { ...failed, id: next, retryCount: 0, lastErrorMessage: null }
  for (const [status, said] of [
    ['SUCCESS', 'ended'],
    ['DEAD_LETTER', `Execution ${next} ended DEAD_LETTER: Read on.`],
  ] as const) {
    let asked = 0
    const api: FollowOptions['api'] = {
      deposits: async () => [],
      executions: async () => (asked < 2 ? [dead] : [{ ...after, status }, dead]),
      execution: async (of) => {
        asked += 1
        const isKnown = of === id && asked > 1
        const cause = of === id ? { code: 'FUNDS_RETURNED' } : null
        return { next: { message: 'Read on.' }, cause, continuedBy: isKnown ? next : null } as never
      },
    }
    const came = await followed([], [], { api, timeoutMs: 5_000 })
    expect(came).toEqual({ waits: [`the money came back; execution ${next} continues with it`], said })
  }
})
