import { expect, test } from 'bun:test'
import type { Address } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { residueMax, takenAlong } from '../../src/domain/execution/lane'
import type { Chains } from '../../src/ports/chain-client'
import { quorumCheck } from '../../src/routing/delivery/quorum-check'
import { isResidueOutdated } from '../../src/routing/engine/residue'
import { screenDeposit } from '../../src/routing/steps/screen-deposit'
import { verifyBalance } from '../../src/routing/steps/verify-balance'
import { addressOf, executionOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'
import { intent, spent } from '../support/world'

const villain = addressOf(0x5a)
const bridge = addressOf(0xb1)

/** A deposit that ended and left its money in the account. */
const left = (n: number, amountRaw: string, fromAddress: Address = addressOf(0x5e), changed: Partial<Execution> = {}) =>
  executionOf(
    n,
    { version: 1, state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null, completedAt: n, ...changed },
    { amountRaw, fromAddress },
  )
const next = executionOf(99, { version: 1, facts: { intent } })

/** An account with these records, which holds all that they brought. */
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
  const prices = { usd: async () => 10n ** 8n }
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

test('what a party left that was listed afterwards stays in the account, and what others left goes along', async () => {
  const { verified, listed } = world([left(1, '50000', villain), left(2, '7'), left(3, '5')])
  expect((await verified()).facts).toMatchObject({ balance: { totalReceivedRaw: '51012' } })
  listed.add(villain)
  const { facts } = await verified()
  expect(facts.balance).toMatchObject({ totalReceivedRaw: '1012' })
  expect(facts.residue).toEqual([left(2, '7').id, left(3, '5').id])
})

test('where a listed party’s money is all that is there, a deposit has none, and does not spend that', async () => {
  const { verify, listed, lose } = world([left(1, '50000', villain)])
  lose(1_000n)
  listed.add(villain)
  expect(await verify(next)).toMatchObject({ waitingFor: 'BLOCK' })
})

test('nobody signs for money that may not go along any more: its payer was listed, it was re-driven, or nobody knows what it is', async () => {
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
  // Without residue there is nothing to ask for.
  const alone = { ...next, facts: { ...next.facts, balance: { totalReceivedRaw: '1000', block: 1 } } }
  expect(await isResidueOutdated(alone, ports)).toBe(false)
})

test('money that a bridge sent back was paid by those who had paid what was sent out and what went along with it', async () => {
  const along = left(1, '5', villain)
  const out = executionOf(2, { version: 1, state: 'DEAD_LETTER', facts: { spent, residue: [along.id] } })
  const again = executionOf(3, { version: 1, refundOf: out.id, state: 'DEAD_LETTER', facts: { spent } })
  const back = { ...executionOf(4, { refundOf: again.id, facts: { intent } }, { fromAddress: bridge }), version: 1 }
  const { screen, listed } = world([along, out, again])
  expect(await codeOf(screen(back))).toBe('done')
  listed.add(villain)
  expect(await codeOf(screen(back))).toBe('ADDRESS_BLACKLISTED')
  // What stayed behind when the money was not sent out is not in it.
  const kept = executionOf(2, { version: 1, state: 'DEAD_LETTER', facts: { residue: [along.id] } })
  expect(await codeOf(world([along, kept]).screen({ ...back, refundOf: kept.id }))).toBe('done')
})

test('a small deposit that takes a large sum along is believed of two nodes, at once and at its end', async () => {
  const large = left(1, String(10n ** 12n))
  const agreeing = world([large])
  const ready = await agreeing.verified()
  expect(agreeing.asked).toEqual([10])
  const check = quorumCheck(agreeing.chains, { usd: async () => 10n ** 8n }, 10_000n * 10n ** 8n)
  expect(await check(ready)).not.toBeNull()
  expect(await check(next)).toBeNull()
  await expect(world([large], { second: 0n }).verify(next)).rejects.toMatchObject({ waitingFor: 'NODE' })
})

test('one deposit takes at most so many ended records along, the largest first, and the others keep their money', async () => {
  const dust = Array.from({ length: residueMax }, (_, n) => left(300 + n, '2'))
  const { verified } = world([...dust, left(201, '1'), left(202, '3'), left(203, '1')])
  const { facts } = await verified()
  expect(facts.residue).toHaveLength(residueMax)
  expect(facts.residue![0]).toBe(left(202, '3').id)
  expect(facts.balance!.totalReceivedRaw).toBe(String(1_000 + 2 * (residueMax - 1) + 3))
})

test('only what is there goes along: a record whose amount does not fit any more keeps its money', async () => {
  const { verified, lose } = world([left(1, '50'), left(2, '7'), left(3, '5')])
  lose(10n)
  const { facts } = await verified()
  expect(facts).toMatchObject({ balance: { totalReceivedRaw: '1052' }, residue: [left(1, '50').id] })
})

test('of a token that counts shares, what rounding left of a record goes along, and what a listed party left stays', async () => {
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

test('what was counted is what is told to be taken along, whatever the clocks of two processes say', async () => {
  const [counted, later, open] = [left(1, '5'), left(2, '3'), executionOf(3, { version: 1 }, { amountRaw: '4' })]
  const { verified, executions } = world([counted, open])
  const taker = await verified()
  expect(taker.facts).toMatchObject({ residue: [counted.id], balance: { totalReceivedRaw: '1005' } })
  // Another process says that one of them ended before and the other after the balance was verified.
  const verifiedAt = { seq: 2, at: 1_000, event: 'balance verified', from: null, to: '', status: null, note: null }
  const ended = { ...open, state: 'DEAD_LETTER', status: 'DEAD_LETTER' as const, dueAt: null, completedAt: 999 }
  const now = [{ ...counted, completedAt: 3_000 }, { ...later, completedAt: 998 }, ended]
  expect(takenAlong({ ...taker, history: [verifiedAt] }, 1_005n, now)).toEqual([counted.id])
  expect((await executions.residueIn(next.deposit.lane)).map(({ id }) => id)).toEqual([counted.id])
})

test('of what an older release verified, the amounts tell what went along, and what does not fit stays', () => {
  const history = [{ seq: 2, at: 50, event: 'balance verified', from: null, to: '', status: null, note: null }]
  const taker = { ...next, history, facts: { balance: { totalReceivedRaw: '1007', block: 10 } } }
  const records = [left(1, '5'), left(2, '3'), left(3, '2'), left(4, '1')]
  expect(takenAlong(taker, 1_007n, records)).toEqual([records[0]!.id, records[2]!.id])
  expect(takenAlong(taker, 1_007n, [left(60, '5')])).toEqual([]) // it ended afterwards
})
