import { expect, test } from 'bun:test'
import type { ChainId } from '../../src/domain/chain/chain'
import type { Address, Hash } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import { type Execution, newExecution, paidInMax } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'
import { passBlocker, passesMax, sourcesOf, targetLane } from '../../src/routing/engine/passing-on'
import { isResidueOutdated, residueAt } from '../../src/routing/engine/residue'
import { screenDeposit } from '../../src/routing/steps/screen-deposit'
import { assureUnlisted } from '../../src/screening/deposit-screening'
import { addressOf, hashOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'
import { intent as usual } from '../support/world'

const token = addressOf(0x70)
/** Deposit addresses of two organizations whose intents name each other. */
const places: { account: Address; chainId: ChainId; organizationId: string }[] = [
  { account: addressOf(0xa1), chainId: 8453, organizationId: 'org_a' },
  { account: addressOf(0xb1), chainId: 42161, organizationId: 'org_b' },
]
const ended = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt: 50 } as const
const underWay = { state: 'RUNNING', status: 'RUNNING', completedAt: null } as const

/** The deposit after `pass` deliveries, which leads to the other address. It arrives as `hashOf(pass)`. */
function passed(pass: number, txHash: Hash | null = hashOf(1 + pass), amountRaw = '1000'): Execution {
  const [here, there] = [places[pass % 2]!, places[(pass + 1) % 2]!]
  const { account, chainId, organizationId } = here
  const lane = laneId(account, chainId, token)
  const found = { lane, account, chainId, token, symbol: 'T', decimals: 6, amountRaw, block: 10 + pass }
  const deposit = { ...found, txHash, logIndex: 0, fromAddress: null, detectedBy: [], detectedAt: 1 }
  const intent = { ...usual, targetChainId: there.chainId, targetTokenAddress: token, targetAddress: there.account }
  const record = newExecution({ id: `pass-${pass}`, organizationId, userId: 'u', deposit, machineVersion: '1' }, 1)
  return { ...record, facts: { intent, leadsTo: targetLane(intent) } }
}

/** The same deposit after its delivery as the next one. */
function delivered(pass: number, one = passed(pass)): Execution {
  const { account: _, ...there } = places[(pass + 1) % 2]!
  const hash = hashOf(2 + pass)
  const delivery = { hash, chainId: there.chainId, token, amountRaw: '1000', block: 11 + pass }
  return { ...one, ...ended, facts: { ...one.facts, delivery } }
}
/** The same deposit while its delivery is unproved. */
function onItsWay(pass: number): Execution {
  const route = { amountOutMin: '990', amountOutExpected: '1000' } as NonNullable<Execution['facts']['route']>
  const order = {} as NonNullable<Execution['facts']['order']>
  const one = passed(pass)
  return { ...one, ...underWay, facts: { ...one.facts, route, order } }
}

async function judged(one: Execution, before: Execution[]) {
  const ports = { executions: executionsInMemory(...before), now: () => 100 }
  const deliverers = await sourcesOf(one, ports)
  return passBlocker(one, deliverers, ports).catch((error) => (error instanceof RoutingError ? error.code : error))
}
const deliveredUpTo = (passes: number) => Array.from({ length: passes }, (_, n) => delivered(n))

test('money that circulates between two organizations passes three times and is stopped then', async () => {
  const seen = await Promise.all([0, 1, 2, 3, 4, 5].map((n) => judged(passed(n), deliveredUpTo(n))))
  expect(seen).toEqual([null, null, null, null, 'PASSED_ON_TOO_OFTEN', 'PASSED_ON_TOO_OFTEN'])
  expect(passesMax).toBe(3)
})

test('an operator’s re-drive lets stopped money pass once', async () => {
  const again = { ...passed(4), id: 'pass-4:r1', redriveOf: 'pass-4' }
  expect(await judged(again, deliveredUpTo(4))).toBeNull()
  expect(await judged(passed(5), [...deliveredUpTo(4), delivered(4, again)])).toBe('PASSED_ON_TOO_OFTEN')
})

test('a deposit that an unproved delivery may have caused waits only at the limit', async () => {
  const may = (n: number) => judged(passed(n), [...deliveredUpTo(n - 1), onItsWay(n - 1)])
  expect(await Promise.all([may(1), may(3)])).toEqual([null, null])
  expect(await may(4)).toMatchObject({ waitingFor: 'LANE' })
  // No delivery is proved: slow providers do not make the circle endless.
  expect(await judged(passed(4), [0, 1, 2, 3].map(onItsWay))).toMatchObject({ waitingFor: 'LANE' })
})

test('an unrelated deposit at the same address is not blocked', async () => {
  const others = [...deliveredUpTo(3), onItsWay(3)]
  const another = passed(4, hashOf(99), '5000') // not the amount expected of the one under way
  expect(await judged(another, others)).toBeNull()
  expect(await judged(passed(4, hashOf(99)), deliveredUpTo(4))).toBeNull()
})

test('coin without a log is followed by the block and the amount of its delivery', async () => {
  const found = { ...passed(4, null), id: 'swept' }
  expect(await judged(found, deliveredUpTo(4))).toBe('PASSED_ON_TOO_OFTEN')
  const earlier = { ...found, deposit: { ...found.deposit, block: 9 } }
  expect(await judged(earlier, deliveredUpTo(4))).toBeNull()
})

test('refunded money has as many passes as the money sent out', async () => {
  const sent = { ...passed(4), ...ended, state: 'DEAD_LETTER', status: 'DEAD_LETTER' } as const
  const back = { ...passed(4, hashOf(77)), id: 'back', refundOf: sent.id }
  expect(await judged(back, [...deliveredUpTo(4), sent])).toBe('PASSED_ON_TOO_OFTEN')
})

const villain = addressOf(0x5a)
/** The deposit after two deliveries, the first of which moved a villain's money. */
function fromVillain(last = delivered(1)): { records: Execution[]; deposit: Execution } {
  const first = delivered(0, passed(0, hashOf(1), '5000'))
  const origin = { ...first, deposit: { ...first.deposit, fromAddress: villain } }
  const middle = { ...last, facts: { ...last.facts, broughtBy: [origin.id] } }
  return { records: [origin, middle], deposit: passed(2) }
}
/** Screens a deposit, lists the villain, and screens it before it is signed. */
async function doors({ records, deposit: last }: ReturnType<typeof fromVillain>, isListedBefore: boolean) {
  const deposit = { ...last, facts: { ...last.facts, intent: usual } }
  const listed = new Set(isListedBefore ? [villain] : [])
  const blacklist = { isListed: (_kind: string, _chain: number, one: Address) => listed.has(one) }
  const executions = executionsInMemory(...records, deposit)
  const codeOf = (doing: Promise<unknown>) =>
    doing.then(
      () => 'goes on',
      (error) => error.code ?? error.waitingFor,
    )
  const screen = screenDeposit({
    blacklist,
    executions,
    pauses: { find: () => null },
    payable: async () => null,
    now: () => 1,
  })
  const screened = screen(deposit, async () => {})
  const atScreening = await codeOf(screened)
  const outcome = await screened.catch(() => ({}))
  const ready = { ...deposit, facts: { ...deposit.facts, ...('facts' in outcome && outcome.facts) } }
  listed.add(villain)
  const beforeSigning = await codeOf(assureUnlisted(ready, { blacklist, executions }))
  const left = { ...ready, state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null, completedAt: 60 } as const
  const { stays } = await residueAt(99, left.deposit.lane, new Set(), {
    blacklist,
    executions: executionsInMemory(...records, left),
  })
  return { atScreening, beforeSigning, residue: stays.length === 1 ? 'stays' : 'goes along' }
}

test('a deposit is stopped if any order in the transaction that paid it moved a listed sender’s money', async () => {
  const { records, deposit } = fromVillain()
  const [origin, middle] = records as [Execution, Execution]
  const others = Array.from({ length: 19 }, (_, n) => ({
    ...middle,
    id: `other-${n}`,
    facts: { ...middle.facts, broughtBy: [] },
  }))
  const batch = { deposit, records: [origin, ...others, middle] }
  const listed = 'ADDRESS_BLACKLISTED'
  expect(await doors(batch, true)).toMatchObject({ atScreening: listed })
  expect(await doors(batch, false)).toMatchObject({ atScreening: 'goes on', beforeSigning: listed, residue: 'stays' })
})

test('money of a listed sender is stopped at every door after our own deliveries passed it on', async () => {
  const listed = 'ADDRESS_BLACKLISTED'
  expect(await doors(fromVillain(), true)).toMatchObject({ atScreening: listed })
  expect(await doors(fromVillain(), false)).toEqual({ atScreening: 'goes on', beforeSigning: listed, residue: 'stays' })
})

/** A deposit after two deliveries of a villain's money. It ended before its screening, and the next one may include it. */
async function unscreened(last?: Execution) {
  const { records, deposit } = fromVillain(last)
  const { intent: _, leadsTo: __, ...facts } = deposit.facts
  const ended = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null, completedAt: 60 } as const
  const left = { ...deposit, ...ended, facts }
  const balance = { totalReceivedRaw: '2000', block: 99 }
  const next = { ...passed(2, hashOf(98)), id: 'next', facts: { intent: usual, balance, residue: [left.id] } }
  const spent = { hash: hashOf(97), block: 99, amountRaw: '2000', at: 99 }
  const sent = { ...next, id: 'sent', facts: { ...next.facts, spent } }
  const back = { ...passed(2, hashOf(96)), id: 'back', refundOf: sent.id }
  return { left, next, back, executions: executionsInMemory(...records, left, sent) }
}

test('money of a listed sender stays behind if the deposit that it was passed on to ended before its screening', async () => {
  const gates = async (last?: Execution, isListed = true) => {
    const { left, next, back, executions } = await unscreened(last)
    const ports = {
      executions,
      blacklist: { isListed: (_: string, __: number, one: Address) => isListed && one === villain },
    }
    const { stays, along } = await residueAt(99, left.deposit.lane, new Set(), ports)
    const isOutdated = await isResidueOutdated(next, ports)
    const codeOf = (one: Execution) =>
      assureUnlisted({ ...one, facts: { ...one.facts, intent: usual } }, ports).catch(
        ({ code, waitingFor }) => code ?? waitingFor,
      )
    return [stays.length, along.length, isOutdated, await codeOf(left), await codeOf(back)]
  }
  const listed = 'ADDRESS_BLACKLISTED'
  expect(await gates()).toEqual([1, 0, true, listed, listed])
  expect(await gates(onItsWay(1))).toEqual([1, 0, true, 'LANE', 'LANE'])
  expect(await gates(undefined, false)).toEqual([0, 1, false, undefined, undefined])
  const { executions, left } = await unscreened()
  const failure = async () => {
    throw new Error('the store is unreachable')
  }
  const reading = residueAt(99, left.deposit.lane, new Set(), {
    executions: { ...executions, leadingTo: failure },
    blacklist: { isListed: () => false },
  })
  await expect(reading).rejects.toThrow('unreachable')
})

test('a deposit waits while it is unproved whether it is a listed sender’s money, and goes on once it is not', async () => {
  const unproved = fromVillain(onItsWay(1))
  expect(await doors(unproved, true)).toMatchObject({ atScreening: 'LANE' })
  expect(await doors(unproved, false)).toEqual({ atScreening: 'goes on', beforeSigning: 'LANE', residue: 'stays' })
  const elsewhere = delivered(1, passed(1))
  const other = { ...elsewhere.facts.delivery!, hash: hashOf(77) }
  const proved = fromVillain({ ...elsewhere, facts: { ...elsewhere.facts, delivery: other } })
  const free = { atScreening: 'goes on', beforeSigning: 'goes on', residue: 'goes along' }
  expect(
    await doors(
      { ...proved, deposit: { ...proved.deposit, facts: { ...proved.deposit.facts, broughtBy: ['pass-1'] } } },
      false,
    ),
  ).toEqual(free)
  expect(await doors({ records: deliveredUpTo(2), deposit: passed(2) }, true)).toEqual(free)
})

test('coin that a wallet sent soon after a listed sender’s delivery goes on, and the delivery itself is stopped', async () => {
  const dust = delivered(0, passed(0, hashOf(1), '1'))
  const { delivery } = dust.facts
  const first = {
    ...dust,
    deposit: { ...dust.deposit, fromAddress: villain },
    facts: { ...dust.facts, delivery: { ...delivery!, amountRaw: '1' } },
  }
  const coin = (senders: Address[], paidIn: Hash[]) => {
    const one = passed(1, null, '1000000')
    const found = { block: 500, detectedAt: 59 * 60_000, fromAddress: senders.length === 1 ? senders[0]! : null }
    return { records: [first], deposit: { ...one, deposit: { ...one.deposit, ...found, senders, paidIn } } }
  }
  const [wallet, solver] = [addressOf(0x77), addressOf(0x78)]
  const listed = { atScreening: 'ADDRESS_BLACKLISTED' }
  expect(await doors(coin([wallet], [hashOf(99)]), true)).toMatchObject({ atScreening: 'goes on' })
  expect(await doors(coin([solver], [delivery!.hash]), true)).toMatchObject(listed)
  expect(await doors(coin([wallet, solver], [hashOf(99), delivery!.hash]), true)).toMatchObject(listed)
  // Nothing shows that these are all transactions.
  expect(await doors(coin([wallet, solver], [hashOf(99)]), true)).toMatchObject(listed)
  const many = Array.from({ length: paidInMax }, (_, n) => hashOf(1_000 + n))
  expect(await doors(coin([wallet], many), true)).toMatchObject(listed)
})
