import { expect, test } from 'bun:test'
import { follow, stepOf } from '../../machines/execution'
import { outcomeCounts } from '../../src/app/service'
import { chainOf } from '../../src/domain/chain/chain'
import type { DepositIntent } from '../../src/domain/deposit/deposit-intent'
import type { ErrorCode } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { OperationRefused, type OperationRequest } from '../../src/domain/execution/operation'
import type { AuditEntry } from '../../src/domain/tenant/audit'
import { nextOf } from '../../src/http/views/next'
import type { Chains } from '../../src/ports/chain-client'
import { operations } from '../../src/routing/operations'
import { addressOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'
import { seals } from '../support/seals'
import { testAll } from '../support/test-all'
import { delivery, depositId, detected, intent, order, spent } from '../support/world'

const asked: OperationRequest = {
  actor: { kind: 'API_KEY', id: 'key_ops', label: 'on-call' },
  organizationId: detected.organizationId,
  reason: 'The integrator asked for it',
  requestId: null,
}
type Ended = 'DEAD_LETTER' | 'FAILED_UNROUTABLE_MAIN' | 'FAILED_NO_FUNDS' | 'TOKEN_BLACKLISTED' | 'SUCCESS'
const ended = (status: Ended, facts = {}) =>
  ({ state: status, status, completedAt: 5, dueAt: null, facts: { intent, routeId: order.routeId, ...facts } }) as const

/** Target of the current intent. */
const changedTarget = addressOf(0xbbb)

type World = { record?: Partial<Execution>; balance?: bigint; listed?: Listed; refundAddress?: `0x${string}` | null }

type Listed = boolean | 'TOKEN' | 'ADDRESS' | `0x${string}`

function world({ record = {}, balance = 1_000n, listed = false, refundAddress = null }: World = {}) {
  const executions = executionsInMemory({ ...detected, ...record })
  const audit: AuditEntry[] = []
  const woken: string[] = []
  const { note: onRecord, counted } = outcomeCounts()
  const current = { ...intent, version: 9, refundAddress, targetAddress: changedTarget } as unknown as DepositIntent
  const chain = { confirmed: async () => ({ number: 100, time: 100, hash: '0x' }), balanceOf: async () => balance }
  const verbs = operations({
    seals,
    executions,
    intents: { load: async () => current, save: async () => null },
    chains: new Proxy({}, { get: () => chain }) as Chains,
    blacklist: { isListed: (kind, _chain, one) => listed === true || listed === kind || listed === one },
    auditLog: {
      async append(entry) {
        audit.push(entry)
      },
    },
    wakes: {
      async wakeNow({ id }) {
        woken.push(id)
      },
    },
    onRecord,
    machineVersion: '1',
    now: () => 50,
    newId: () => `aud_${audit.length}`,
  })
  const counts = (): object[] =>
    counted.flatMap(({ read }) => read().map(({ labels, value }) => ({ ...labels, value })))
  return { ...verbs, executions, audit, woken, counts }
}

const refusalOf = (doing: Promise<unknown>): Promise<string> =>
  doing.then(
    () => 'done',
    (error) => (error instanceof OperationRefused ? error.code : String(error)),
  )

test('operations: another organization’s execution is reported as missing', async () => {
  const { approve, retryNow, deadLetter, redrive, audit } = world()
  const stranger = { ...asked, organizationId: 'another' }

  for (const verb of [
    retryNow(depositId, stranger),
    approve(depositId, 1n, stranger),
    deadLetter(depositId, stranger),
    redrive(depositId, 'CURRENT', stranger),
  ])
    expect(await refusalOf(verb)).toBe('EXECUTION_NOT_FOUND')
  expect(audit).toEqual([])
})

const waitsForWorth = {
  state: 'finding route',
  status: null,
  dueAt: 9_999,
  facts: { intent, balance: { totalReceivedRaw: '25', block: 1 }, waiting: { for: 'WORTH', since: 1 } },
} as const

test('approve: the approval is logged first and applied immediately, and repeating it changes nothing', async () => {
  const { approve, executions, audit, woken } = world({ record: waitsForWorth })
  const approved = await approve(depositId, 24n, asked)
  expect(approved).toMatchObject({
    dueAt: 50,
    facts: { worthApproval: { amountOutMin: '24', totalReceivedRaw: '25', at: 50 } },
  })
  expect(audit).toMatchObject([{ verb: 'execution.approve', target: depositId, details: { amountOutMin: '24' } }])
  expect(approved.history.at(-1)).toMatchObject({ event: 'worth approved', note: asked.reason })
  expect(woken).toEqual([depositId])
  expect(nextOf(approved, 50)).toMatchObject({ actor: 'SERVICE', action: 'ROUTE' })
  // A poll that finds no sufficient route sets another time.
  expect(nextOf({ ...approved, dueAt: 60 }, 50)).toMatchObject({ actor: 'OPERATOR', action: 'APPROVE' })
  expect(await approve(depositId, 24n, asked)).toEqual(executions.get(depositId))
  expect(audit).toHaveLength(1)
  expect((await approve(depositId, 23n, asked)).facts.worthApproval).toMatchObject({ amountOutMin: '23', at: 50 })
})

test('approve: an approval of a state that has changed since it was seen approves nothing', async () => {
  const { approve, audit, executions } = world({ record: waitsForWorth })
  const { seq } = executions.get(depositId)
  expect(await refusalOf(approve(depositId, 24n, asked, { seq: seq + 1 }))).toBe('CHANGED_MEANWHILE')
  expect([audit, executions.get(depositId).facts.worthApproval]).toEqual([[], undefined])
  expect(await approve(depositId, 24n, asked, { seq })).toMatchObject({ facts: { worthApproval: {} } })
})

testAll<[string, Partial<Execution>]>([
  ['waits for something else', { ...waitsForWorth, facts: { intent, waiting: { for: 'BLOCK', since: 1 } } }],
  ['waits for nothing', { ...waitsForWorth, facts: { intent } }],
  ['has ended', ended('DEAD_LETTER', { waiting: { for: 'WORTH', since: 1 } })],
])('approve: an execution that does not wait for a price has nothing to approve', async (_what, record) => {
  const { approve, audit } = world({ record })
  expect(await refusalOf(approve(depositId, 24n, asked))).toBe('NOTHING_TO_APPROVE')
  expect(audit).toEqual([])
})

test('retryNow: an execution that failed or was retried after its author saw it is left alone', async () => {
  const cause = { code: 'PROVIDER_FAILED', category: null, message: '', at: 20 } as const
  const failed = { state: 'FAILED', status: 'FAILED', dueAt: 9_999, cause } as const
  const { retryNow, executions, audit } = world({ record: failed })
  expect(await refusalOf(retryNow(depositId, asked, { storedTo: 19 }))).toBe('CHANGED_MEANWHILE')
  expect([audit, executions.get(depositId).dueAt]).toEqual([[], 9_999])
  expect(await refusalOf(retryNow(depositId, asked, { storedTo: 20 }))).toBe('done')
  expect(await refusalOf(retryNow(depositId, asked, { storedTo: 49 }))).toBe('CHANGED_MEANWHILE')
  expect(await refusalOf(retryNow(depositId, asked, { storedTo: 50 }))).toBe('done')
  expect(audit).toHaveLength(2)
})

test('redrive: a re-drive that ended after its author saw the line is not re-driven again', async () => {
  const { redrive, executions, audit } = world({ record: ended('DEAD_LETTER') })
  const first = await redrive(depositId, 'CURRENT', asked, { storedTo: 50 })
  const again = () => refusalOf(redrive(depositId, 'CURRENT', asked, { storedTo: 50 }))
  expect(await again()).toBe('REDRIVE_IN_PROGRESS')
  const { version } = executions.get(first.id)
  await executions.save({ ...first, ...ended('FAILED_UNROUTABLE_MAIN', first.facts), completedAt: 51, version })
  expect(await again()).toBe('CHANGED_MEANWHILE')
  expect(audit).toHaveLength(1)
})

test('retryNow: the next attempt starts immediately, after it is logged', async () => {
  const { retryNow, executions, audit, woken } = world({ record: { state: 'FAILED', status: 'FAILED', dueAt: 9_999 } })

  expect(await retryNow(depositId, asked)).toMatchObject({ dueAt: 50 })
  expect(audit).toMatchObject([{ verb: 'execution.retry', target: depositId, reason: asked.reason }])
  expect(executions.get(depositId).history.at(-1)).toMatchObject({ event: 'retry asked', note: asked.reason })
  expect(woken).toEqual([depositId])
})

testAll(['finding route', 'taking lane', 'PENDING'])(
  'retryNow: a waiting attempt shows FAILED and continues immediately',
  async (state) => {
    const { retryNow, executions, woken } = world({ record: { state, status: 'FAILED', dueAt: 9_999 } })

    expect(await retryNow(depositId, asked)).toMatchObject({ state, status: 'FAILED', dueAt: 50 })
    expect(executions.get(depositId).history.at(-1)).toMatchObject({ event: 'retry asked', to: state })
    expect(woken).toEqual([depositId])
  },
)

test('retryNow: a running attempt is left alone, and the request is in the audit log', async () => {
  const { retryNow, executions, audit } = world({ record: { state: 'finding route', status: 'FAILED', dueAt: 40 } })
  const before = executions.get(depositId)

  await retryNow(depositId, asked)
  expect(executions.get(depositId)).toEqual(before)
  expect(audit).toHaveLength(1)
})

testAll(['matching intent', 'PENDING', 'RUNNING', 'SUCCESS', 'DEAD_LETTER'])(
  'retryNow: refused if nothing failed',
  async (state) => {
    expect(await refusalOf(world({ record: { state } }).retryNow(depositId, asked))).toBe('NOT_RETRYABLE')
  },
)

// Columns: the record; then the response.
testAll<[string, Partial<Execution>, string]>([
  ['a deposit that waits for its intent may be ended', {}, 'done'],
  ['a failed execution may be ended', { state: 'FAILED', status: 'FAILED' }, 'done'],
  [
    'a signed execution may not be ended',
    { state: 'PENDING', status: 'PENDING', facts: { order } },
    'TRANSACTION_IN_FLIGHT',
  ],
  [
    'an execution on its way may not be ended',
    { state: 'RUNNING', status: 'RUNNING', facts: { order } },
    'TRANSACTION_IN_FLIGHT',
  ],
  [
    'a delivery in time may not be ended',
    { state: 'RUNNING', status: 'RUNNING', facts: { order, spent } },
    'TRANSACTION_IN_FLIGHT',
  ],
  [
    'an overdue delivery may be ended',
    { state: 'RUNNING', status: 'RUNNING', facts: { order, spent: { ...spent, at: -3_000_000 } } },
    'done',
  ],
  ['an ended one stays ended', ended('SUCCESS'), 'ALREADY_ENDED'],
])('deadLetter: refused for a signed order or a delivery in time, allowed otherwise', async (_case, record, answer) => {
  const { deadLetter, executions } = world({ record })

  expect(await refusalOf(deadLetter(depositId, asked))).toBe(answer)
  if (answer === 'done')
    expect(executions.get(depositId)).toMatchObject({
      status: 'DEAD_LETTER',
      dueAt: null,
      cause: { code: 'ABANDONED' },
    })
})

test('a burn without a mint continues by a retry however late it is, and no other action can end it', async () => {
  const route = { provider: 'cctp', kind: 'BRIDGE', expectedSeconds: 30 } as never
  const facts = { intent, routeId: order.routeId, order, route, spent: { ...spent, at: -90 * 24 * 3_600_000 } }
  const attested = { nonce: order.routeId, id: order.routeId, attestedAt: 1, transactions: [] }
  for (const mint of [{}, { mint: attested }, { mint: { ...attested, refusedAt: 2 } }]) {
    const record = { state: 'RUNNING', status: 'RUNNING', dueAt: 9_999, facts: { ...facts, ...mint } } as const
    const { approve, deadLetter, redrive, retryNow, executions, woken } = world({
      record,
      refundAddress: `0x${'9'.repeat(40)}`,
    })
    const refused = await deadLetter(depositId, asked).catch((error) => error)
    expect(refused).toMatchObject({ code: 'TRANSACTION_IN_FLIGHT', facts: { isBurned: true } })
    for (const to of ['CURRENT', 'ORIGINAL', 'REFUND'] as const)
      expect(await refusalOf(redrive(depositId, to, asked))).toBe('NOT_TERMINAL')
    expect(await refusalOf(approve(depositId, 1n, asked))).toBe('NOTHING_TO_APPROVE')
    expect(stepOf(await retryNow(depositId, asked))).toBe('confirmDelivery')
    expect([executions.get(depositId).dueAt, woken]).toEqual([50, [depositId]])
    // No other writer can end it, because the machine itself refuses.
    const abandoned = {
      type: 'abandoned',
      at: 60,
      failure: { code: 'ABANDONED', category: null, message: '' },
    } as const
    expect(follow(executions.get(depositId), abandoned)).toBe(executions.get(depositId))
  }
})

// Columns: the record; then the response.
testAll<[string, World, string]>([
  ['a running execution is not re-driven', { record: { state: 'RUNNING', status: 'RUNNING' } }, 'NOT_TERMINAL'],
  ['a delivered one is not re-driven', { record: ended('SUCCESS', { spent, delivery }) }, 'NO_FUNDS_TO_REDRIVE'],
  [
    'one whose money is with the bridge is not re-driven',
    { record: ended('DEAD_LETTER', { order, spent }) },
    'FUNDS_NOT_IN_ACCOUNT',
  ],
  ['an empty account is not re-driven', { record: ended('DEAD_LETTER'), balance: 0n }, 'NO_FUNDS_TO_REDRIVE'],
  ['a listed token stays in the account', { record: ended('TOKEN_BLACKLISTED'), listed: 'TOKEN' }, 'TOKEN_BLACKLISTED'],
  [
    'the money of a listed sender stays in the account',
    { record: ended('TOKEN_BLACKLISTED'), listed: 'ADDRESS' },
    'TOKEN_BLACKLISTED',
  ],
  [
    'a deposit whose money a later deposit included is not re-driven, even if money has arrived since',
    { record: { ...ended('DEAD_LETTER'), takenBy: `${depositId}0` } },
    'NO_FUNDS_TO_REDRIVE',
  ],
  [
    'an order that may still be mined is waited for, up to and including the second of its deadline',
    { record: ended('DEAD_LETTER', { order: { ...order, deadline: 100 } }) },
    'TRANSACTION_IN_FLIGHT',
  ],
])(
  'redrive: refused for an execution that runs, is delivered, has its money elsewhere, or is listed',
  async (_case, there, answer) => {
    const { redrive, executions } = world(there)
    expect(await refusalOf(redrive(depositId, 'CURRENT', asked))).toBe(answer)
    expect(executions.all()).toHaveLength(1)
  },
)

test('redrive: the response gives the time until which a refused order blocks it, and later omits it', async () => {
  const facts = { order: { ...order, deadline: 101 } }
  const cause = { code: 'TRANSACTION_REVERTED', category: 'BLOCKCHAIN_REVERT', message: 'Refused.', at: 5 } as const
  const { redrive, executions } = world({ record: { ...ended('DEAD_LETTER', facts), cause } })
  const time = '1970-01-01T00:01:41.000Z'
  const refused = await redrive(depositId, 'CURRENT', asked).catch((error) => error)
  expect(refused).toMatchObject({ code: 'TRANSACTION_IN_FLIGHT', facts: { time, isRefused: true } })

  const record = executions.get(depositId)!
  const saidAt = (seconds: number, of = record): string => nextOf(of, seconds * 1_000).message
  const { confirmations, blockSeconds } = chainOf(record.deposit.chainId)
  for (const seconds of [50, 101, 101 + confirmations * blockSeconds])
    expect(saidAt(seconds)).toEndWith(
      `expires on 1 January 1970, 00:02 UTC; it can be re-driven after a later block is confirmed.`,
    )
  expect(saidAt(102 + confirmations * blockSeconds)).not.toContain('expires')
  expect(saidAt(50, { ...record, facts: { ...record.facts, spent } })).not.toContain('expires')
})

test('redrive: creates an execution for the measured amount with the requested intent', async () => {
  const { redrive, executions, woken } = world({ record: ended('FAILED_UNROUTABLE_MAIN'), balance: 700n })
  const made = await redrive(depositId, 'CURRENT', asked)

  expect(made).toMatchObject({ id: `${depositId}:r1`, redriveOf: depositId, state: 'matching intent', dueAt: 50 })
  expect(made.deposit.amountRaw).toBe('700')
  expect(made.facts.intent?.version).toBe(9)
  expect(made.facts.routeId).not.toBe(order.routeId)
  expect(executions.get(depositId)).toMatchObject({ status: 'FAILED_UNROUTABLE_MAIN', redrivenBy: made.id })
  expect(woken).toEqual([made.id])
})

test('redrive: a worker that notes the new execution first leaves no second entry in the history', async () => {
  const { redrive, executions } = world({ record: ended('DEAD_LETTER') })
  const { save } = executions
  executions.save = async (record) => {
    const stored = await save(record)
    if (record.redriveOf) await save({ ...executions.get(depositId)!, redrivenBy: record.id })
    return stored
  }
  const made = await redrive(depositId, 'CURRENT', asked)
  const { history, redrivenBy } = executions.get(depositId)!
  expect(redrivenBy).toBe(made.id)
  expect(history.filter(({ event }) => event === 're-driven')).toEqual([])
})

test('redrive: an order no longer blocks it in the second after its deadline', async () => {
  const { redrive } = world({ record: ended('DEAD_LETTER', { order: { ...order, deadline: 99 } }) })
  expect(await redrive(depositId, 'CURRENT', asked)).toMatchObject({ redriveOf: depositId })
})

test('redrive: refunded money pays no second protocol fee under either intent', async () => {
  for (const target of ['ORIGINAL', 'CURRENT'] as const)
    for (const [refundOf, bps] of [
      ['the refunded one', 0],
      [null, intent.protocolFeeBps],
    ] as const) {
      const { redrive } = world({ record: { ...ended('DEAD_LETTER'), refundOf } })
      expect((await redrive(depositId, target, asked)).facts.intent?.protocolFeeBps, `${target}`).toBe(bps)
    }
})

test('redrive: the original intent is the deposit’s own, whichever re-drive is named, and is not replaced by the current one', async () => {
  const refundAddress = addressOf(0x7ef)
  const record = ended('DEAD_LETTER')
  for (const [to, targetAddress] of [
    ['REFUND', refundAddress],
    ['CURRENT', changedTarget],
  ] as const) {
    const { redrive, executions } = world({ record, refundAddress })
    const { id, facts } = await redrive(depositId, to, asked)
    expect(facts.intent!.targetAddress).toBe(targetAddress)
    executions.change(id, { ...record, facts })
    expect((await redrive(id, 'ORIGINAL', asked)).facts.intent).toEqual(intent)
  }
  const { redrive, executions } = world({ record: { ...record, facts: {} }, refundAddress })
  expect(await refusalOf(redrive(depositId, 'ORIGINAL', asked))).toBe('NO_DEPOSIT_INTENT')
  // A deposit that was never matched has the intent of its first re-drive.
  const { id, facts } = await redrive(depositId, 'REFUND', asked)
  executions.change(id, { ...record, facts })
  const again = await redrive(id, 'ORIGINAL', asked)
  expect(again.facts.intent).toMatchObject({ version: 9, targetAddress: changedTarget })
  expect(again.facts.intent).not.toHaveProperty('sealedAs')
})

test('redrive: takes at most the amount that the deposit brought', async () => {
  const { redrive } = world({ record: ended('DEAD_LETTER'), balance: 5_000n })
  expect((await redrive(depositId, 'ORIGINAL', asked)).deposit.amountRaw).toBe('1000')
})

test('redrive: leaves the money of other deposits alone', async () => {
  const { redrive, executions } = world({ record: ended('DEAD_LETTER'), balance: 1_500n })
  await executions.save({ ...detected, id: `${depositId}0`, version: 0 })
  expect((await redrive(depositId, 'ORIGINAL', asked)).deposit.amountRaw).toBe('500')
})

test('redrive: leaves another ended deposit’s leftover alone while its payer is listed', async () => {
  const villain = addressOf(0x5a)
  const { redrive, executions } = world({ record: ended('DEAD_LETTER'), balance: 1_000n, listed: villain })
  const theirs = {
    ...detected,
    ...ended('FAILED_UNROUTABLE_MAIN', { routeId: '0x2' }),
    id: `${depositId}0`,
    version: 0,
  }
  await executions.save({ ...theirs, deposit: { ...detected.deposit, fromAddress: villain, amountRaw: '700' } })
  expect((await redrive(depositId, 'ORIGINAL', asked)).deposit.amountRaw).toBe('300')
})

// Columns: the causes that ended two deposits of the same amount. The account holds the money of one of them.
testAll<[ErrorCode, ErrorCode]>([
  ['NO_ROUTE', 'RETURNED_TOO_OFTEN'],
  ['RETURNED_TOO_OFTEN', 'PASSED_ON_TOO_OFTEN'],
])('redrive: missing money that went round in circles blocks no other re-drive', async (code, otherCode) => {
  const causeOf = (one: ErrorCode) => ({ code: one, category: null, message: '', at: 1 })
  const { redrive, executions } = world({ record: { ...ended('DEAD_LETTER'), cause: causeOf(code) } })
  const facts = { routeId: '0x2' }
  const other = { ...detected, ...ended('DEAD_LETTER', facts), cause: causeOf(otherCode), id: `${depositId}0` }
  await executions.save({ ...other, version: 0 })
  expect((await redrive(depositId, 'ORIGINAL', asked)).deposit.amountRaw).toBe('1000')
  // The account's only money is reserved by now.
  expect(await refusalOf(redrive(other.id, 'ORIGINAL', asked))).toBe('NO_FUNDS_TO_REDRIVE')
})

test('redrive: unproved money of a listed sender is not refused, because its new execution waits', async () => {
  const villain = addressOf(0x5a)
  const { redrive, executions } = world({
    record: { ...ended('DEAD_LETTER'), refundOf: 'sent' },
    balance: 1_000n,
    listed: villain,
  })
  const route = { amountOutMin: '990', amountOutExpected: '1000' } as NonNullable<Execution['facts']['route']>
  const onItsWay = { state: 'RUNNING', status: 'RUNNING', version: 0 } as const
  const deposit = { ...detected.deposit, fromAddress: villain, lane: 'another' }
  await executions.save({ ...detected, ...onItsWay, id: 'origin', deposit, facts: { intent, order, route } })
  await executions.save({
    ...detected,
    ...ended('DEAD_LETTER', { spent, routeId: '0x2', broughtBy: ['origin'] }),
    id: 'sent',
    version: 0,
  })
  expect(await refusalOf(redrive(depositId, 'CURRENT', asked))).toBe('done')
})

test('redrive: a store that fails is not reported as a listed address', async () => {
  const { redrive, executions } = world({ record: { ...ended('DEAD_LETTER'), refundOf: 'sent' } })
  executions.loadMany = () => Promise.reject(new Error('away'))
  expect(await refusalOf(redrive(depositId, 'CURRENT', asked))).toBe('Error: away')
})

test('redrive: money found later for a missing deposit is the part that no other record explains', async () => {
  const { redrive, executions } = world({ record: ended('FAILED_NO_FUNDS'), balance: 1_700n })
  const found = { ...detected, ...ended('DEAD_LETTER', { routeId: '0x2' }), id: `${depositId}0`, version: 0 }
  await executions.save(found)
  expect((await redrive(depositId, 'ORIGINAL', asked)).deposit.amountRaw).toBe('700')

  const swept = world({ record: ended('FAILED_NO_FUNDS'), balance: 1_000n })
  await swept.executions.save(found)
  expect(await refusalOf(swept.redrive(depositId, 'ORIGINAL', asked))).toBe('NO_FUNDS_TO_REDRIVE')
  expect((await swept.redrive(found.id, 'ORIGINAL', asked)).deposit.amountRaw).toBe('1000')
})

test('redrive: money that another deposit included is not taken from later arrivals', async () => {
  const { redrive, executions } = world({ record: ended('DEAD_LETTER'), balance: 600n })
  const along = ended('SUCCESS', { routeId: '0x2', spent: { ...spent, amountRaw: '2000' }, delivery })
  await executions.save({ ...detected, ...along, id: `${depositId}0`, version: 0 })
  expect(await refusalOf(redrive(depositId, 'ORIGINAL', asked))).toBe('NO_FUNDS_TO_REDRIVE')
})

test('redrive: many simultaneous requests create one execution, and no other while it runs', async () => {
  const { redrive, executions } = world({ record: ended('DEAD_LETTER') })
  const answers = await Promise.all(Array.from({ length: 10 }, () => refusalOf(redrive(depositId, 'CURRENT', asked))))

  expect(answers.filter((answer) => answer === 'done')).toHaveLength(1)
  expect(new Set(answers)).toEqual(new Set(['done', 'REDRIVE_IN_PROGRESS']))
  expect(await refusalOf(redrive(depositId, 'CURRENT', asked))).toBe('REDRIVE_IN_PROGRESS')
  expect(executions.all()).toHaveLength(2)
})

test('redrive: to the refund address only if the intent names one', async () => {
  expect(await refusalOf(world({ record: ended('DEAD_LETTER') }).redrive(depositId, 'REFUND', asked))).toBe(
    'NO_REFUND_ADDRESS',
  )

  const refundAddress = `0x${'9'.repeat(40)}` as const
  const made = await world({ record: ended('DEAD_LETTER'), refundAddress }).redrive(depositId, 'REFUND', asked)
  expect(made.facts.intent).toMatchObject({
    targetAddress: refundAddress,
    targetTokenAddress: detected.deposit.token,
    targetChainId: detected.deposit.chainId,
    protocolFeeBps: 0,
  })
})

test('an end by an operator is counted like an end by the machine, and an action without a new status is not counted', async () => {
  const { retryNow, deadLetter, counts } = world({ record: { state: 'FAILED', status: 'FAILED', dueAt: 9_999 } })
  await retryNow(depositId, asked)
  expect(counts()).toEqual([{ value: 0 }])
  await deadLetter(depositId, asked)
  expect(await refusalOf(deadLetter(depositId, asked))).toBe('ALREADY_ENDED')
  expect(counts()).toEqual([{ status: 'DEAD_LETTER', category: 'NONE', value: 1 }, { value: 0 }])
})

test('deadLetter: the next execution in the lane is woken', async () => {
  const { deadLetter, executions, woken } = world({ record: { state: 'FAILED', status: 'FAILED' } })
  const waiting = { facts: { intent, waiting: { for: 'LANE', since: 0 } }, dueAt: 9_999 } as const
  await executions.save({ ...detected, ...waiting, id: '8453:behind:0', state: 'taking lane', version: 0 })
  await deadLetter(depositId, asked)
  expect(woken).toEqual(['8453:behind:0'])
})
