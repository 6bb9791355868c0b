import { expect, test } from 'bun:test'
import { withHistoryEntry } from '../../../machines/execution'
import { errorRow, RoutingError } from '../../../src/domain/error'
import { type Execution, failureOf } from '../../../src/domain/execution/execution'
import { addressOf, hashOf } from '../../support/deposits'
import { peopledWorld } from '../world'
import { intent, shown } from './shown-executions'

const route = { amountOutExpected: '990', provider: 'lifi' } as never
const fees = { amountForSwapRaw: '-5', totalReceivedRaw: '1000' } as never
const spent = { hash: hashOf(9), block: 7, amountRaw: '1000', at: 7 }
const ended = (status: string, change: Partial<Execution> = {}) =>
  ({ state: status, status, completedAt: 5, dueAt: null, ...change }) as Partial<Execution>
const first = shown(1, 1).id
const second = `${first}:r1`

/** A deposit whose second execution is under way, as an operator's re-drive leaves it. */
async function redriven() {
  const world = await peopledWorld()
  const at = world.clock.now - 60_000
  const entry = { from: 'DEAD_LETTER', to: 'DEAD_LETTER', status: 'DEAD_LETTER', note: 'again' } as const
  const dead = withHistoryEntry(shown(1, at - 9, ended('DEAD_LETTER', { completedAt: at - 5 })), {
    ...entry,
    from: 'RUNNING',
    event: 'abandoned',
    at: at - 5,
  })
  await world.store.executions.save(
    withHistoryEntry({ ...dead, redrivenBy: second }, { ...entry, event: 're-driven', at }),
  )
  const change = { redriveOf: first, id: second, status: null, state: 'finding route', createdAt: null } as const
  await world.store.executions.save({ ...shown(1, at), ...change })
  const ask = async (path: string) => (await world.ask(path, { key: world.client })).json
  return { ...world, ask, at }
}

test('a re-driven execution holds nothing and links to its successor, in lists and alone', async () => {
  const { ask } = await redriven()
  const one = await ask(`/api/executions/${first}`)
  expect(one.funds).toMatchObject({ holder: 'NONE', amount: '0', address: null })
  expect(one.next).toMatchObject({ actor: 'NOBODY', action: 'FOLLOW', executionId: second, by: null })
  expect(one.next.message).toContain(second)
  const [row] = await ask('/api/executions')
  expect([row.funds, row.next]).toEqual([one.funds, one.next])
})

test('the successor exists before it has a status', async () => {
  const { ask } = await redriven()
  const next = await ask(`/api/executions/${second}`)
  expect([next.funds.holder, next.next.action, next.next.executionId]).toEqual(['DEPOSIT_ACCOUNT', 'ROUTE', null])
  expect(next.deposit.executionId).toBe(second)
})

test('the deposit shows the newest execution, on the page of each of them', async () => {
  const { ask } = await redriven()
  const deposit = await ask(`/api/deposits/${first}`)
  expect([deposit.executionId, deposit.funds.holder, deposit.funds.amount]).toEqual([second, 'DEPOSIT_ACCOUNT', '1000'])
  expect(deposit.next.action).toBe('ROUTE')
  const [row] = await ask('/api/deposits')
  expect([row.executionId, row.funds, row.next]).toEqual([second, deposit.funds, deposit.next])
  expect((await ask(`/api/executions/${first}`)).deposit.funds).toEqual(deposit.funds)
})

test('superseded=false excludes it, superseded=true selects it, and other values are refused', async () => {
  const { ask, store } = await redriven()
  await store.executions.save(shown(2, 2))
  const ids = async (query: string) => (await ask(`/api/executions?${query}`)).map(({ id }: { id: string }) => id)
  expect(await ids('superseded=false')).toEqual([shown(2, 2).id])
  expect(await ids('superseded=true')).toEqual([first])
  expect((await ids('limit=9')).toSorted()).toEqual([first, shown(2, 2).id].toSorted())
  expect((await ask('/api/executions?superseded=maybe')).message).toBe('superseded must be true or false')
})

test('superseding is an event with the execution from then on, and earlier events are unchanged', async () => {
  const { ask } = await redriven()
  const events = await ask(`/api/events?types=execution.*&executionId=${first}`)
  const seen = events.map(({ type, data }: { type: string; data: Record<string, { [name: string]: string }> }) => [
    type,
    data['funds']!['holder'],
    data['next']!['action'],
    data['completedAt'],
  ])
  const completedAt = events[0].data.completedAt
  expect(seen).toEqual([
    ['execution.dead_letter', 'DEPOSIT_ACCOUNT', 'INVESTIGATE', completedAt],
    ['execution.superseded', 'NONE', 'FOLLOW', completedAt],
  ])
})

test('a delivery is named by the token that arrived', async () => {
  const world = await peopledWorld()
  const other = addressOf(0x99)
  const delivery = { hash: hashOf(3), chainId: 42161, token: other, amountRaw: '985', block: 9 } as const
  const cause = { code: 'PARTIAL_DELIVERY', category: null, message: 'Another token.', at: 3 } as const
  await world.store.executions.save(
    shown(1, 1, ended('DEAD_LETTER', { facts: { intent, spent, delivery, route }, cause })),
  )
  await world.store.executions.save(
    shown(
      2,
      2,
      ended('SUCCESS', { facts: { intent, spent, delivery: { ...delivery, token: intent.targetTokenAddress } } }),
    ),
  )
  const [whole, partly] = (await world.ask('/api/executions', { key: world.client })).json
  expect(partly.funds).toMatchObject({
    holder: 'RECIPIENT',
    tokenAddress: other,
    tokenSymbol: 'UNKNOWN',
    amount: '985',
  })
  expect([partly.funds.address, partly.funds.tokenDecimals]).toEqual([intent.targetAddress, null])
  expect([partly.amountOut, partly.destinationTxHash]).toEqual([null, delivery.hash])
  expect([whole.amountOut, whole.funds.tokenSymbol, whole.funds.tokenDecimals]).toEqual(['985', 'USDC', 6])
})

test('a refund is marked as such from its start, and a delivery to the same address after a re-drive is not', async () => {
  const world = await peopledWorld()
  const { deposit } = shown(1, 1)
  const refundAddress = addressOf(0x77)
  const to = { targetChainId: deposit.chainId, targetTokenAddress: deposit.token, targetAddress: refundAddress }
  const back = { ...intent, ...to, refundAddress, protocolFeeBps: 0 }
  const save = (n: number, facts: object, change: Partial<Execution>) =>
    world.store.executions.save({ ...shown(n, n), ...ended('SUCCESS', { facts: facts as never, ...change }) })
  const delivery = { hash: hashOf(3), chainId: deposit.chainId, token: deposit.token, amountRaw: '985', block: 9 }
  const again = { id: second, redriveOf: first }
  await save(1, { intent: back }, { ...again, status: null, state: 'finding route', completedAt: null, dueAt: 9 })
  await save(2, { intent: back, spent, delivery }, { redriveOf: shown(2, 2).id, id: `${shown(2, 2).id}:r1` })
  await save(3, { intent: { ...back, protocolFeeBps: 50 }, spent, delivery }, { redriveOf: shown(3, 3).id })
  await save(4, { intent: back, spent, delivery }, {})
  const all = (await world.ask('/api/executions', { key: world.client })).json
  expect(all.map(({ funds }: { funds: object }) => funds)).toMatchObject([
    { holder: 'RECIPIENT', refund: false },
    { holder: 'RECIPIENT', refund: false },
    { holder: 'RECIPIENT', refund: true },
    { holder: 'DEPOSIT_ACCOUNT', refund: true },
  ])
})

test('an execution that ended in the account expects no output, and one below the fees waits for its sender', async () => {
  const world = await peopledWorld()
  const facts = { intent, route, fees }
  await world.store.executions.save(shown(1, 1, ended('FAILED_INSUFFICIENT_AFTER_FEES', { facts })))
  await world.store.executions.save(shown(2, 2, ended('DEAD_LETTER', { facts: { intent, route, spent } })))
  const [left, stayed] = (await world.ask('/api/executions', { key: world.client })).json
  expect([stayed.amountOutExpected, stayed.next.actor, stayed.next.action]).toEqual(['0', 'SENDER', 'SEND_MORE'])
  expect(left.amountOutExpected).toBe('990')
})

test('a deposit that a reorganization moved says that another deposit has the money', async () => {
  const world = await peopledWorld()
  const cause = failureOf(new RoutingError('DEPOSIT_MOVED'))
  await world.store.executions.save(shown(1, 1, ended('FAILED_NO_FUNDS', { cause: { ...cause, at: 1 } })))
  const [moved] = (await world.ask('/api/executions', { key: world.client })).json
  expect(moved.next).toMatchObject({ actor: 'NOBODY', message: errorRow('DEPOSIT_MOVED').message })
  expect(moved.funds).toMatchObject({ holder: 'NONE', amount: '0' })
})
