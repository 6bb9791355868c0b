import { expect, test } from 'bun:test'
import { audit } from '../../src/app/audit/audit'
import { chainIds } from '../../src/domain/chain/chain'
import { RoutingError } from '../../src/domain/error'
import type { LaneFacts } from '../../src/ports/audit'
import { account, at, collector, type Drawn, laneOf } from '../support/audit-lanes'
import { installation, isOf } from '../support/audited-installation'
import { addressOf, hashOf } from '../support/deposits'

const deposit = (end: Drawn['end']): Drawn => {
  return { amountRaw: 25_000_000n, end, gasFeeRaw: 20n, protocolFeeBps: 50, remainderRaw: 0n }
}
const lane = (): LaneFacts => laneOf([deposit('SUCCESS'), deposit('LEFT_BEHIND')])
const feesRaw = 125_020n
const relayer = lane().routes[0]!.relayer

test('every account is read once, in pages, at the last block that the service has scanned', async () => {
  const report = await audit(installation(lane()))
  expect(report).toMatchObject({ accounts: 1_501, records: 2, unexplained: [] })
  expect(report.chains.map(({ block, reason }) => [block, reason])).toEqual(chainIds.map(() => [at, null]))
  expect(report.rows).toMatchObject([{ chain: 'base', receivedRaw: 50_000_000n, leftBehindRaw: 25_000_000n }])
  expect(report.collectors).toMatchObject([{ chain: 'base', collector, feesRaw, otherRaw: 0n, outRaw: 0n }])
  expect(report.relayers).toEqual([
    { chain: 'base', relayer, routes: 1, nativeFeesRaw: 0n, balanceRaw: 10n ** 18n, nonces: 1 },
  ])
})

test('a unit that is missing from an account is named with the history of that account', async () => {
  const report = await audit(installation({ ...lane(), heldRaw: 24_999_000n }))
  expect(report.unexplained).toMatchObject([{ kind: 'ACCOUNT', chain: 'base', address: account }])
  expect(report.unexplained[0]!.faults).toEqual([
    'The account holds 24999000, and its records explain 25000000: 1000 missing.',
  ])
  expect(report.unexplained[0]!.history.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['ARRIVED', 'LEFT', 'ROUTED', 'RECORDED']),
  )
})

test('a chain that stops responding is not audited, whenever it stops, and the others are', async () => {
  const unreachable = async () => Promise.reject(new RoutingError('RPC_UNREACHABLE'))
  const world = installation(lane())
  world.chains[8453].history.routes = unreachable
  world.chains[1].client.confirmedNumber = unreachable
  const report = await audit(world)
  const unread = report.chains.filter(({ reason }) => reason !== null)
  expect(unread.map(({ chain, block, reason }) => [chain, block, reason])).toEqual([
    ['base', null, 'RPC_UNREACHABLE'],
    ['ethereum', null, 'RPC_UNREACHABLE'],
  ])
  expect([report.rows, report.collectors, report.unexplained]).toEqual([[], [], []])
})

test('a chain that the service has not scanned is not audited', async () => {
  const world = installation(lane(), { recordedTo: async () => ({ listed: null, others: null }) })
  expect((await audit(world)).chains.every(({ reason }) => reason === 'NOT_SCANNED')).toBe(true)
})

test('a record stored during the audit is in the second read', async () => {
  const facts = lane()
  const world = installation(facts)
  const { records } = world.queries
  let looks = 0
  world.queries.records = async (from, to) => {
    const all = await records(from, to)
    return all.length > 0 && looks++ === 0 ? all.slice(1) : all
  }
  const report = await audit(world)
  expect(looks).toBe(2)
  expect(report.unexplained).toEqual([])
})

test('a record of an account that does not exist is named', async () => {
  const facts = lane()
  const stranger = { ...facts.records[1]!, account: addressOf(0xffffff), id: `8453:${hashOf(77)}:0` }
  const report = await audit(installation({ ...facts, records: [...facts.records, stranger] }))
  expect(report.unexplained).toMatchObject([
    { address: stranger.account, faults: [expect.stringContaining(stranger.id)] },
  ])
})

test('a relayer without a record, and a collector that lost its fees, are named', async () => {
  const facts = lane()
  const world = installation(facts, { relayers: async () => new Set() })
  const { moves } = world.chains[8453].history
  world.chains[8453].history.moves = async (accounts, from, to) => {
    const all = await moves(accounts, from, to)
    return isOf(accounts, collector) ? all.filter((move) => move.to !== collector) : all
  }
  const { unexplained } = await audit(world)
  expect(unexplained.map(({ kind, faults }) => [kind, faults])).toEqual([
    ['COLLECTOR', ['The fees are 125020, and only 0 arrived.']],
    ['RELAYER', ['The service has no record of this relayer.']],
  ])
})
