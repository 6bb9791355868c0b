import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import type { Chains } from '../../src/ports/chain-client'
import { verifyBalance } from '../../src/routing/steps/verify-balance'
import { executionOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'
import { testAll } from '../support/test-all'

const pollMs = 100
type Said = { balance: bigint; second?: bigint | Error; isStranger?: boolean }

/** One deposit of 1000, with others of its lane, that is polled repeatedly. */
function world(own: Execution, others: Execution[] = []) {
  const clock = { at: 1_000_000 }
  const executions = executionsInMemory(own, ...others)
  let facts = own.facts
  return {
    /** The outcome of a poll after this time, with these responses of the nodes. */
    async look(afterMs: number, { balance, second, isStranger }: Said): Promise<string> {
      clock.at += afterMs
      const balanceOf = async () => {
        if (second instanceof Error) throw second
        return second
      }
      const chain = {
        confirmed: async () => ({ number: 10 }),
        confirmedNumber: async () => 10,
        balanceOf: async () => balance,
        assureChain: async () => {
          if (isStranger) throw new RoutingError('RPC_FAILED')
        },
        second: second === undefined ? null : { balanceOf },
      }
      const chains = new Proxy({}, { get: () => chain }) as unknown as Chains
      const step = verifyBalance({
        chains,
        executions,
        blacklist: { isListed: () => false },
        scannedTo: async () => 10,
        pollMs: () => pollMs,
        now: () => clock.at,
      })
      try {
        const outcome = await step({ ...own, facts })
        facts = { ...facts, ...outcome.facts }
        return 'waitingFor' in outcome ? outcome.waitingFor : outcome.facts!.balance!.totalReceivedRaw
      } catch (error) {
        return error instanceof RoutingError ? error.code : String(error)
      }
    },
  }
}

const deposited = executionOf(1, { version: 1 })

/** The final outcome if the balance stays the same. */
async function received(balance: bigint, others: Execution[] = []): Promise<string> {
  const { look } = world(deposited, others)
  const first = await look(0, { balance })
  return first === 'BLOCK' ? look(30 * pollMs, { balance }) : first
}

test('verifyBalance: money at the last scanned block is read immediately, and money that seems missing is read again', async () => {
  const asked: string[] = []
  const state = { known: 10, balance: 1_000n }
  const chain = {
    confirmedNumber: async (maxAgeMs?: number) => {
      if (maxAgeMs === undefined) asked.push('confirmed')
      return state.known
    },
    balanceOf: async (_token: string, _account: string, block: number) => {
      asked.push(`balance at ${block}`)
      if (block > state.known) throw new RoutingError('RPC_FAILED')
      return state.balance
    },
  }
  const step = verifyBalance({
    chains: new Proxy({}, { get: () => chain }) as unknown as Chains,
    executions: executionsInMemory(deposited),
    blacklist: { isListed: () => false },
    scannedTo: async () => 10,
    pollMs: () => pollMs,
    now: () => 0,
  })
  const look = () => step({ ...deposited, deposit: { ...deposited.deposit, block: 5 } })
  expect(await look()).toMatchObject({ facts: { balance: { totalReceivedRaw: '1000', block: 10 } } })
  expect(asked.splice(0)).toEqual(['balance at 10'])
  state.known = 9
  expect(await look()).toMatchObject({ facts: { balance: { block: 9 } } })
  state.balance = 1n
  expect(await look()).toMatchObject({ waitingFor: 'BLOCK' })
  // A query that is bound to fail would count as the node's failure and block other queries.
  expect(asked.splice(0)).toEqual(['confirmed', 'balance at 9', 'confirmed', 'balance at 9'])
  state.known = 10
  expect(await look()).toMatchObject({ waitingFor: 'BLOCK' })
  expect(asked.splice(0)).toEqual(['balance at 10', 'confirmed'])
})

const failed = executionOf(2, { version: 1, state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null })
const waiting = executionOf(3, { version: 1 })
/** It arrived in the block whose balance is read. */
const newest = executionOf(4, { version: 1 }, { block: 10 })

// Columns: the node's balance and the lane's other deposits; then what this deposit may spend.
testAll<[string, bigint, Execution[], string]>([
  ['what it brought', 1_000n, [], '1000'],
  ['a failed deposit’s leftover is included', 2_000n, [failed], '2000'],
  ['another’s is left alone', 2_000n, [waiting], '1000'],
  ['another’s of the very block is left alone', 2_000n, [newest], '1000'],
  ['another’s of the very block is not there for it', 1_000n, [newest], 'BALANCE_TOO_LOW'],
  ['unexplained money is not included', 10_000n, [], '1000'],
  ['nor beside another’s', 10_000n, [waiting], '1000'],
  ['nor beside residue', 10_000n, [failed], '2000'],
  ['less than it brought is too little', 999n, [], 'BALANCE_TOO_LOW'],
  ['money of other deposits is not available', 1_500n, [waiting], 'BALANCE_TOO_LOW'],
])(
  'verifyBalance: a deposit takes only its own money and the leftovers of failed deposits',
  async (_case, balance, others, answer) => {
    expect(await received(balance, others)).toBe(answer)
  },
)

test('a deposit whose balance is a few units below its log is routed immediately with its balance', async () => {
  const said = 25n * 10n ** 18n
  const own = executionOf(1, { version: 1 }, { amountRaw: String(said) })
  const other = executionOf(3, { version: 1 }, { amountRaw: String(said) })
  const first = async (balance: bigint, others: Execution[] = []) => world(own, others).look(0, { balance })
  expect(await first(said - 2n)).toBe(String(said - 2n))
  expect(await first(said - 10n)).toBe(String(said - 10n))
  expect(await first(said - 11n)).toBe('BLOCK')
  expect(await first(2n * said - 4n, [other])).toBe(String(said - 4n))
  // An account that rounded both deposits: each bears only its own part.
  expect(await first(2n * said - 20n, [other])).toBe(String(said - 10n))
  expect(await first(2n * said - 21n, [other])).toBe('BLOCK')
  const verified = { balance: { totalReceivedRaw: String(said - 7n), block: 9 } }
  expect(await first(2n * said - 17n, [{ ...other, facts: verified }])).toBe(String(said - 10n))
})

test('money is missing only if the node still serves its own chain', async () => {
  const { look } = world(deposited)
  expect(await look(0, { balance: 0n, isStranger: true })).toBe('BLOCK')
  expect(await look(30 * pollMs, { balance: 0n, isStranger: true })).toBe('RPC_FAILED')
  expect(await look(pollMs, { balance: 1_000n })).toBe('1000')
})

test('a low balance ends a deposit only after thirty polls', async () => {
  const { look } = world(deposited)
  const said: string[] = []
  for (let poll = 0; poll < 31; poll++) said.push(await look(pollMs, { balance: 999n }))
  expect(said).toEqual([...Array(30).fill('BLOCK'), 'BALANCE_TOO_LOW'])
})

test('a temporary error of a node only costs its duration, and later polls count from zero', async () => {
  const { look } = world(deposited)
  expect(await look(0, { balance: 500n })).toBe('BLOCK')
  expect(await look(29 * pollMs, { balance: 500n })).toBe('BLOCK')
  expect(await look(pollMs, { balance: 1_000n })).toBe('1000')
  expect(await look(pollMs, { balance: 500n })).toBe('BLOCK')
})

test('two nodes must agree that money is missing before a deposit ends, however long it takes', async () => {
  const day = 86_400_000
  const { look } = world(deposited)
  for (const second of [1_000n, new Error('away'), 1n])
    for (const afterMs of [0, day]) expect(await look(afterMs, { balance: 0n, second })).toBe('BLOCK')
  expect(await look(pollMs, { balance: 0n, second: 0n })).toBe('BALANCE_TOO_LOW')
})

test('a re-drive takes the amount of its deposit, without unexplained money', async () => {
  const again: Execution = { ...deposited, id: `${deposited.id}:r1`, redriveOf: deposited.id }
  for (const state of ['DEAD_LETTER', 'FAILED_NO_FUNDS'] as const) {
    const first = executionOf(1, { version: 1, state, status: state, dueAt: null, redrivenBy: again.id })
    expect(await world(again, [first]).look(0, { balance: 3_000n })).toBe('1000')
  }
})
