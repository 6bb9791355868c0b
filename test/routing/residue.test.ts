import { expect, test } from 'bun:test'
import type { Address } from '../../src/domain/chain/hex'
import type { ErrorCode } from '../../src/domain/error'
import { type Execution, isUnspent } from '../../src/domain/execution/execution'
import { includedResidue, residueMax, successorOf } from '../../src/domain/execution/lane'
import type { Chains } from '../../src/ports/chain-client'
import { quorumCheck } from '../../src/routing/delivery/evidence'
import { isResidueOutdated } from '../../src/routing/engine/residue'
import { notingSuperseded } from '../../src/routing/steps'
import { screenDeposit } from '../../src/routing/steps/screen-deposit'
import { verifyBalance } from '../../src/routing/steps/verify-balance'
import { pricedAt } from '../support/appraisers'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { intent, spent } from '../support/world'

const villain = addressOf(0x5a)
const bridge = addressOf(0xb1)

/** An ended deposit whose money stays in the account. */
const left = (n: number, amountRaw: string, fromAddress: Address = addressOf(0x5e), changed: Partial<Execution> = {}) =>
  executionOf(
    n,
    { version: 1, state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null, completedAt: n, ...changed },
    { amountRaw, fromAddress },
  )
const next = executionOf(99, { version: 1, facts: { intent } })

/** An account with these records, which holds everything they brought. */
function world(records: Execution[], { second }: { second?: bigint } = {}) {
  const listed = new Set<Address>()
  const executions = executionsInMemory(next, ...records)
  const asked: number[] = []
  let balance = [next, ...records].reduce((sum, { deposit }) => sum + BigInt(deposit.amountRaw), 0n)
  const chain = {
    chainId: 8453,
    confirmedNumber: async () => 10,
    balanceOf: async () => balance,
    assureChain: async () => {},
    second: {
      balanceOf: async (_token: Address, _account: Address, block: number) => {
        asked.push(block)
        return second ?? balance
      },
    },
  }
  const chains = new Proxy({}, { get: () => chain }) as unknown as Chains
  const blacklist = { isListed: (kind: string, _chain: number, one: Address) => kind === 'ADDRESS' && listed.has(one) }
  const prices = pricedAt(10n ** 8n)
  const ports = { chains, executions, blacklist, scannedTo: async () => 10, pollMs: () => 100, now: () => 1_000_000 }
  const verify = verifyBalance({ ...ports, secondOpinion: quorumCheck(chains, prices, 10_000n * 10n ** 8n) })
  return {
    ...ports,
    listed,
    asked,
    lose: (amount: bigint) => {
      balance -= amount
    },
    screen: screenDeposit({ ...ports, pauses: { find: () => null }, payable: async () => null }),
    verify,
    async verified(): Promise<Execution> {
      const outcome = await verify(next)
      expect(outcome).toMatchObject({ type: 'balance verified' })
      return { ...next, facts: { ...next.facts, ...outcome.facts } }
    },
  }
}
const codeOf = (doing: Promise<unknown>) =>
  doing.then(
    () => 'done',
    (error) => error.code,
  )

test('a leftover whose payer was listed later stays in the account, and other leftovers are included', async () => {
  const { verified, listed } = world([left(1, '50000', villain), left(2, '7'), left(3, '5')])
  expect((await verified()).facts).toMatchObject({ balance: { totalReceivedRaw: '51012' } })
  listed.add(villain)
  const { facts } = await verified()
  expect(facts.balance).toMatchObject({ totalReceivedRaw: '1012' })
  expect(facts.residue).toEqual([left(2, '7').id, left(3, '5').id])
})

test('a deposit does not spend a listed party’s money if nothing else is there', async () => {
  const { verify, listed, lose } = world([left(1, '50000', villain)])
  lose(1_000n)
  listed.add(villain)
  expect(await verify(next)).toMatchObject({ waitingFor: 'BLOCK' })
})

test('no order is signed for included money whose payer was listed, that was re-driven, or that is unexplained', async () => {
  const first = left(1, '50000', villain)
  const { verified, listed, executions, blacklist } = world([first])
  const ports = { blacklist, executions }
  const ready = await verified()
  expect(await isResidueOutdated(ready, ports)).toBe(false)
  const { residue: _, ...older } = ready.facts
  expect(await isResidueOutdated({ ...ready, facts: older }, ports)).toBe(true)
  listed.add(villain)
  expect(await isResidueOutdated(ready, ports)).toBe(true)
  listed.clear()
  executions.change(first.id, { redrivenBy: `${first.id}:r1` })
  expect(await isResidueOutdated(ready, ports)).toBe(true)
  // A deposit without leftovers needs no check.
  const alone = { ...next, facts: { ...next.facts, balance: { totalReceivedRaw: '1000', block: 1 } } }
  expect(await isResidueOutdated(alone, ports)).toBe(false)
})

const causeOf = (code: ErrorCode) => ({ code, category: null, message: '', at: 1 })
const circledOf = (n: number, amountRaw: string, fromAddress?: Address) =>
  left(n, amountRaw, fromAddress, { cause: causeOf('RETURNED_TOO_OFTEN') })

/** A record with its re-drives, each of which ended for one of these reasons. */
function lineOf(...codes: ErrorCode[]): Execution[] {
  const { id, ...first } = left(1, '50000')
  const idOf = (n: number) => (n === 0 ? id : `${id}:r${n}`)
  return codes.map((code, n) => ({
    ...first,
    id: idOf(n),
    cause: causeOf(code),
    redriveOf: n === 0 ? null : idOf(n - 1),
    redrivenBy: n === codes.length - 1 ? null : idOf(n + 1),
  }))
}

testAll<ErrorCode[]>([
  ['RETURNED_TOO_OFTEN'],
  ['PASSED_ON_TOO_OFTEN'],
  ['RETURNED_TOO_OFTEN', 'ABANDONED'],
  ['PASSED_ON_TOO_OFTEN', 'NO_ROUTE', 'ABANDONED'],
  ['NO_ROUTE', 'PASSED_ON_TOO_OFTEN', 'ABANDONED'],
])(
  'money that went round in circles joins no later deposit and no signed order, also after a failed re-drive',
  async (...codes) => {
    const line = lineOf(...codes)
    const { verified, lose, executions, blacklist } = world([...line, left(2, '7')])
    lose(50_000n * BigInt(line.length - 1)) // the line shares the same money
    const ready = await verified()
    expect(ready.facts).toMatchObject({ balance: { totalReceivedRaw: '1007' }, residue: [left(2, '7').id] })
    const before = { totalReceivedRaw: '51000', block: 10 }
    const old = { ...ready, facts: { ...ready.facts, balance: before, residue: [line.at(-1)!.id] } }
    expect(await isResidueOutdated(old, { blacklist, executions })).toBe(true)
  },
)

// Columns: the records that ended before; how much of all their money is missing.
testAll<[string, Execution[], bigint]>([
  ['a part of the circled money', [circledOf(1, '50000')], 1_000n],
  ['nearly all of it', [circledOf(1, '50000')], 49_999n],
  ['as much as the circled money, with another leftover', [circledOf(1, '50000'), left(2, '7')], 50_000n],
  ['the other leftover', [circledOf(1, '50000'), left(2, '7')], 7n],
  [
    'all but a unit, with more leftovers than one deposit includes',
    [...Array.from({ length: residueMax }, (_, n) => left(300 + n, '2')), circledOf(1, '2')],
    201n,
  ],
])(
  'a deposit is routed with its own amount and includes nothing if money that went round in circles is missing',
  async (_what, records, missing) => {
    const { verified, lose } = world(records)
    lose(missing)
    const { balance, residue = [] } = (await verified()).facts
    expect([balance!.totalReceivedRaw, residue]).toEqual(['1000', []])
  },
)

test('a re-drive that names only a part claims all that its deposit brought before money that went in circles', async () => {
  const first = left(1, '50', undefined, { redrivenBy: `${left(1, '50').id}:r1` })
  const redriven = { id: `${first.id}:r1`, redriveOf: first.id, state: 'verifying balance', status: null }
  const again = { ...left(1, '20'), ...redriven, completedAt: null, dueAt: 0 }
  const { verify, lose } = world([first, again, circledOf(2, '900')])
  lose(20n + 900n) // the two share the same money, and the circled money is missing
  expect((await verify(again)).facts).toMatchObject({ balance: { totalReceivedRaw: '50' } })
})

test('money that went round in circles stays reserved in full while its payer is listed', async () => {
  const { verify, listed, lose } = world([circledOf(1, '50000', villain)])
  lose(1_000n)
  listed.add(villain)
  expect(await verify(next)).toMatchObject({ waitingFor: 'BLOCK' })
})

test('leftovers of the measured block are included, and an equal amount of a later block waits', async () => {
  const at = (block: number, one: Execution) => ({ ...one, deposit: { ...one.deposit, block } })
  const measured = 10
  const [three, two, later] = [at(measured, left(1, '3')), at(measured, left(2, '2')), at(measured + 1, left(3, '5'))]
  const { verified, lose } = world([three, two, later])
  lose(5n) // the balance at the measured block lacks what came later
  expect((await verified()).facts.residue).toEqual([three.id, two.id])
})

test('no order is signed for included money whose record has vanished', async () => {
  const { verified, blacklist } = world([left(1, '50'), left(2, '7')])
  const ready = await verified()
  expect(ready.facts.residue).toHaveLength(2)
  expect(await isResidueOutdated(ready, { blacklist, executions: executionsInMemory(left(1, '50')) })).toBe(true)
})

test('refunded money counts as paid by the payers of the sent amount and of its included leftovers', async () => {
  const along = left(1, '5', villain)
  const out = executionOf(2, { version: 1, state: 'DEAD_LETTER', facts: { spent, residue: [along.id] } })
  const again = executionOf(3, { version: 1, refundOf: out.id, state: 'DEAD_LETTER', facts: { spent } })
  const back = { ...executionOf(4, { refundOf: again.id, facts: { intent } }, { fromAddress: bridge }), version: 1 }
  const { screen, listed } = world([along, out, again])
  expect(await codeOf(screen(back))).toBe('done')
  listed.add(villain)
  expect(await codeOf(screen(back))).toBe('ADDRESS_BLACKLISTED')
  // A leftover that was not sent out is not part of the refund.
  const kept = executionOf(2, { version: 1, state: 'DEAD_LETTER', facts: { residue: [along.id] } })
  expect(await codeOf(world([along, kept]).screen({ ...back, refundOf: kept.id }))).toBe('done')
})

test('a small deposit with a large leftover needs two nodes, both for its balance and for its end', async () => {
  const large = left(1, String(10n ** 12n))
  const agreeing = world([large])
  const ready = await agreeing.verified()
  expect(agreeing.asked).toEqual([10])
  const check = quorumCheck(agreeing.chains, pricedAt(10n ** 8n), 10_000n * 10n ** 8n)
  expect(await check(ready)).not.toBeNull()
  expect(await check(next)).toBeNull()
  await expect(world([large], { second: 0n }).verify(next)).rejects.toMatchObject({ waitingFor: 'NODE' })
})

test('a deposit includes a limited number of ended records, largest first, and the others keep their money', async () => {
  const dust = Array.from({ length: residueMax }, (_, n) => left(300 + n, '2'))
  const { verified } = world([...dust, left(201, '1'), left(202, '3'), left(203, '1')])
  const { facts } = await verified()
  expect(facts.residue).toHaveLength(residueMax)
  expect(facts.residue![0]).toBe(left(202, '3').id)
  expect(facts.balance!.totalReceivedRaw).toBe(String(1_000 + 2 * (residueMax - 1) + 3))
})

test('only money in the account is included, and a record whose amount no longer fits keeps its money', async () => {
  const { verified, lose } = world([left(1, '50'), left(2, '7'), left(3, '5')])
  lose(10n)
  const { facts } = await verified()
  expect(facts).toMatchObject({ balance: { totalReceivedRaw: '1050' }, residue: [left(1, '50').id] })
})

test('a share-counting token’s rounded leftover is included, and a listed party’s leftover stays', async () => {
  const records = [left(1, '50000000', villain), left(2, '25000000')]
  const { verified, listed, lose } = world(records)
  lose(3n)
  expect((await verified()).facts).toMatchObject({
    balance: { totalReceivedRaw: '75000997' },
    residue: records.map(({ id }) => id),
  })
  listed.add(villain)
  expect((await verified()).facts).toMatchObject({
    balance: { totalReceivedRaw: '25000997' },
    residue: [records[1]!.id],
  })
})

test('the included records are those that were counted, whatever the clocks of two processes show', async () => {
  const [counted, later, open] = [left(1, '5'), left(2, '3'), executionOf(3, { version: 1 }, { amountRaw: '4' })]
  const { verified, executions } = world([counted, open])
  const taker = await verified()
  expect(taker.facts).toMatchObject({ residue: [counted.id], balance: { totalReceivedRaw: '1005' } })
  // Another process's clock puts one end before the balance check and the other after it.
  const verifiedAt = { seq: 2, at: 1_000, event: 'balance verified', from: null, to: '', status: null, note: null }
  const ended = { ...open, state: 'DEAD_LETTER', status: 'DEAD_LETTER' as const, dueAt: null, completedAt: 999 }
  const now = [{ ...counted, completedAt: 3_000 }, { ...later, completedAt: 998 }, ended]
  // The step that shows the money gone notes the records that were counted, and no others.
  const noted: string[] = []
  const records = new Map(now.map((record) => [record.id, record]))
  const storing = {
    load: async (id: string) => records.get(id) ?? null,
    save: async (record: Execution) => noted.push(record.id) && record,
    residueIn: async () => now,
  }
  const gone = { hash: hashOf(1), block: 10, amountRaw: '1005', at: 4_000 }
  const submitOrder = async () => ({ type: 'order mined', facts: { spent: gone } }) as never
  const steps = notingSuperseded({ submitOrder } as never, { executions: storing, now: () => 5_000 } as never)
  await steps.submitOrder({ ...next, facts: taker.facts, history: [verifiedAt] })
  expect(noted).toEqual([counted.id])
  expect((await executions.residueIn(next.deposit.lane)).map(({ id }) => id)).toEqual([counted.id])
})

test('the amounts decide which leftovers an older release’s balance included, and the others stay', () => {
  const history = [{ seq: 2, at: 50, event: 'balance verified', from: null, to: '', status: null, note: null }]
  const taker = { ...next, history, facts: { balance: { totalReceivedRaw: '1007', block: 10 } } }
  const records = [left(1, '5'), left(2, '3'), left(3, '2'), left(4, '1')]
  expect(includedResidue(taker, 1_007n, records)).toEqual([records[0]!.id, records[2]!.id])
  expect(includedResidue(taker, 1_007n, [left(60, '5')])).toEqual([]) // it ended afterwards
})

test('money whose record was re-driven during the read is not included', async () => {
  const first = left(1, '50')
  const { executions, verified } = world([first])
  // The re-drive is stored after the reserved amounts were read, and named before the leftovers are read.
  const { residueIn } = executions
  executions.residueIn = async (lane) => {
    executions.change(first.id, { redrivenBy: `${first.id}:r1` })
    return residueIn(lane)
  }
  expect((await verified()).facts).toMatchObject({ balance: { totalReceivedRaw: '1000' } })
})

const departing = (residue: string[]) =>
  ({
    ...next,
    state: 'RUNNING',
    facts: { intent, residue, balance: { totalReceivedRaw: '1050', block: 9 } },
  }) as Execution

/** An order that was being signed when its leftover was re-driven has left with that leftover. */
function leaving(...records: Execution[]) {
  const executions = executionsInMemory(next, ...records)
  const gone = { ...spent, amountRaw: '1050' }
  const step = async () => ({ type: 'transaction mined', facts: { spent: gone } }) as never
  const steps = notingSuperseded({ confirmDelivery: step, matchIntent: async () => ({}) as never } as never, {
    executions,
    now: () => 5,
  })
  const successorsOf = (...ids: string[]) => ids.map((id) => successorOf(executions.get(id)))
  return { executions, steps, successorsOf }
}

function redrivenWhileSigned() {
  const first = left(1, '50', undefined, { redrivenBy: `${left(1, '50').id}:r1` })
  const again = {
    ...left(1, '50', undefined, { redrivenBy: `${first.id}:r2` }),
    id: `${first.id}:r1`,
    redriveOf: first.id,
  }
  const last = { ...left(1, '50'), id: `${first.id}:r2`, redriveOf: again.id, state: 'taking lane', completedAt: null }
  return { first, again, last, ...leaving(first, again, { ...last, status: null, dueAt: 0 }) }
}

test('a re-drive names the order that included its money while that order was signed', async () => {
  const { first, again, last, executions, steps, successorsOf } = redrivenWhileSigned()
  await steps.confirmDelivery(departing([first.id]))
  await steps.confirmDelivery(departing([first.id])) // a crash before its own write repeats the step
  expect(successorsOf(first.id, again.id, last.id)).toEqual([
    { id: again.id, by: 'redrivenBy' },
    { id: last.id, by: 'redrivenBy' },
    { id: next.id, by: 'takenBy' },
  ])
  expect(executions.get(last.id).history.filter(({ event }) => event === 'taken along')).toHaveLength(1)
})

test('a re-drive whose money another order included reserves nothing and ends without funds', async () => {
  const { first, last, executions, steps } = redrivenWhileSigned()
  expect(isUnspent(executions.get(last.id))).toBe(true)
  await steps.confirmDelivery(departing([first.id]))
  expect(isUnspent(executions.get(last.id))).toBe(false)
  const { verify } = world([])
  expect(await codeOf(verify(executions.get(last.id)))).toBe('BALANCE_TOO_LOW')
})

test('a re-drive that is stored after another deposit included its money names that deposit', async () => {
  const first = left(1, '50')
  const again = { ...left(1, '50'), id: `${first.id}:r1`, redriveOf: first.id, state: 'matching intent', status: null }
  const { executions, steps, successorsOf } = leaving(first, { ...again, completedAt: null, dueAt: 0 })
  await steps.confirmDelivery(departing([first.id]))
  await steps.matchIntent(executions.get(again.id))
  const taken = { id: next.id, by: 'takenBy' } as const
  expect(successorsOf(first.id, again.id)).toEqual([taken, taken])
})

test('a re-drive that was measured while other money was in flight claims all that its deposit brought', async () => {
  const first = left(1, '50', undefined, { redrivenBy: `${left(1, '50').id}:r1` })
  const ended = { ...left(1, '20'), id: `${first.id}:r1`, redriveOf: first.id }
  const open = { ...ended, state: 'verifying balance', status: null, completedAt: null, dueAt: 0 }
  const accountOf = (again: Execution) => {
    const account = world([first, again])
    account.lose(20n) // the two share the same money
    return account.verify
  }
  expect((await accountOf(open)(open)).facts).toMatchObject({ balance: { totalReceivedRaw: '50' } })
  expect((await accountOf(open)(next)).facts).toMatchObject({ balance: { totalReceivedRaw: '1000' } })
  // Its leftover is the whole amount, too.
  const { balance, residue } = (await accountOf(ended)(next)).facts!
  expect([balance?.totalReceivedRaw, residue]).toEqual(['1050', [ended.id]])
})

test('a re-drive whose own order moved its money is not marked as included by another', async () => {
  const first = left(1, '50', undefined, { redrivenBy: `${left(1, '50').id}:r1` })
  const again = { ...left(1, '50'), id: `${first.id}:r1`, redriveOf: first.id, facts: { spent } }
  const { steps, successorsOf } = leaving(first, again)
  await steps.confirmDelivery(departing([first.id]))
  expect(successorsOf(again.id)).toEqual([null])
})
