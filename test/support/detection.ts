import { Subject } from 'rxjs'
import { getAddress } from 'viem'
import { createDetection, type DetectionPorts, type DetectionTrouble } from '../../src/detection/detection'
import { amountOf, sumOf } from '../../src/domain/amount'
import { type ChainId, chains as chainTable, perChain } from '../../src/domain/chain'
import { type Execution, isUnspent } from '../../src/domain/execution'
import type { Address } from '../../src/domain/hex'
import type { Account } from '../../src/domain/modular-account'
import type { Sighting } from '../../src/domain/sighting'
import { type Token, TokenList } from '../../src/domain/token'
import type { ScanCursor, Sightings } from '../../src/ports/detection'
import type { Executions } from '../../src/ports/executions'
import type { Accounts } from '../../src/ports/tenants'
import type { Pointers, Wake, Wakes } from '../../src/ports/wakes'
import { asChain, DetectionChain } from './detection-chain'

export const base: ChainId = chainTable.base.id
export const usdc: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const unlisted: Address = '0x00000000000000000000000000000000000000Ee'
const row = (chainId: ChainId, address: Address): Token => ({
  chainId,
  address,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
})
export const tokens = new TokenList([row(base, usdc)])

export const addressOf = (n: number): Address => getAddress(`0x${(n + 1).toString(16).padStart(40, 'c')}`)

export function records<R extends { id: string; version: number }>() {
  const stored = new Map<string, R>()
  return {
    stored,
    all: () => [...stored.values()],
    load: async (id: string): Promise<R | null> => structuredClone(stored.get(id) ?? null),
    async save(record: R): Promise<R | null> {
      if ((stored.get(record.id)?.version ?? 0) !== record.version) return null
      stored.set(record.id, structuredClone({ ...record, version: record.version + 1 }))
      return structuredClone(stored.get(record.id)!)
    },
  }
}

export function executionsKept() {
  const kept = records<Execution>()
  const inLane = (lane: string) => kept.all().filter(({ deposit }) => deposit.lane === lane)
  const port: Pick<Executions, 'unspentIn' | 'bookOf'> = {
    unspentIn: async (lane) => structuredClone(inLane(lane).filter(isUnspent)),
    async bookOf(lane, block) {
      const brought = inLane(lane).filter(
        ({ deposit, redriveOf, state }) => redriveOf === null && deposit.block <= block && state !== 'FAILED_NO_FUNDS',
      )
      const spent = inLane(lane).flatMap(({ facts }) =>
        facts.spent && facts.spent.block <= block ? [facts.spent] : [],
      )
      return {
        broughtRaw: sumOf(brought.map(({ deposit }) => amountOf(deposit.amountRaw))),
        spentRaw: sumOf(spent.map(({ amountRaw }) => amountOf(amountRaw))),
        finds: inLane(lane).filter(({ deposit, redriveOf }) => deposit.txHash === null && redriveOf === null).length,
        lastBlock: Math.max(0, ...inLane(lane).map(({ deposit }) => deposit.block)),
      }
    },
  }
  return { ...kept, ...port } as typeof kept & Executions
}

export function accountsKept(now: () => number) {
  const kept = records<Account>()
  const accounts: Accounts = {
    ...kept,
    findByUser: async () => null,
    createdSince: async (time, limit) =>
      kept
        .all()
        .filter(({ createdAt }) => createdAt >= time)
        .toSorted((a, b) => a.createdAt - b.createdAt)
        .slice(0, limit),
  }
  let made = 0
  function create(changes: Partial<Account> = {}): Address {
    const id = addressOf(made++)
    const userId = `user-${made}`
    const times = { createdAt: now(), updatedAt: now() }
    const account = { id, version: 1, organizationId: 'org_1', userId, canonicalChainId: base, label: null, ...times }
    kept.stored.set(id, { ...account, accountSalt: '0x', ...changes })
    return id
  }
  return { ...accounts, create }
}

/** Detection on fakes. Time stands still until it is told to move. */
export function detectionWorld(changes: Partial<DetectionPorts> = {}, chain = new DetectionChain(base, 5)) {
  const clock = { at: 1_000_000 }
  const now = () => clock.at
  const executions = executionsKept()
  const accounts = accountsKept(now)
  const sightings = records<Sighting>()
  const confirming: Sightings['confirming'] = async (chainId, block) =>
    sightings.all().filter((one) => one.chainId === chainId && one.stage === 'CONFIRMING' && one.block <= block)
  const cursors = records<ScanCursor>()
  const woken: string[] = []
  const troubles: DetectionTrouble[] = []
  const recovered: string[] = []
  const reorgs: ScanCursor[] = []
  const pointed = new Subject<Wake>()
  const pointers: Pointers = { publish: async () => {}, pointers: () => pointed }
  const wakes = { wake: async ({ id }) => void woken.push(id) } as Wakes
  const ports: DetectionPorts = {
    chains: perChain(() => asChain(chain)),
    watched: [base],
    accounts,
    executions,
    sightings: { ...sightings, confirming },
    cursors,
    wakes,
    pointers,
    tokens,
    now,
    machineVersion: '1',
    onTrouble: (trouble) => troubles.push(trouble),
    onRecovered: (_chainId, work) => recovered.push(work),
    onReorg: (_chainId, cursor) => reorgs.push(cursor),
    ...changes,
  }
  const another = () => {
    const made = createDetection(ports)
    return { ...made, watch: made.watchOf(base)! }
  }
  const detection = another()
  const scan = (): Promise<void> => detection.watch.scanOnce(new AbortController().signal)

  /** The money of an execution leaves in a block of its own, and the record says so. */
  function spend(id: string, amountRaw: bigint, isRecorded = true): void {
    const execution = executions.stored.get(id)!
    const { token, account } = execution.deposit
    const [hash] = chain.mine({ paid: [{ token, to: account, amountRaw: -amountRaw }] })
    const spent = { hash: hash!, block: chain.tip.number, amountRaw: String(amountRaw), at: now() }
    const facts = isRecorded ? { spent } : { order: {} as never }
    executions.stored.set(id, { ...execution, state: 'RUNNING', facts: { ...execution.facts, ...facts } })
  }

  return {
    chain,
    clock,
    executions,
    accounts,
    sightings,
    cursors,
    woken,
    troubles,
    recovered,
    reorgs,
    pointed,
    detection,
    another,
    scan,
    spend,
    sweep: () => detection.watch.sweepOnce(),
    amounts: () => executions.all().map(({ deposit }) => BigInt(deposit.amountRaw)),
    ids: () => executions.all().map(({ id }) => id),
  }
}
