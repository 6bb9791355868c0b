import { Subject } from 'rxjs'
import { getAddress } from 'viem'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { createDetection, type DetectionPorts, type DetectionTrouble } from '../../src/detection/detection'
import type { Pacing } from '../../src/detection/pace'
import type { Account } from '../../src/domain/chain/account'
import { type ChainId, chains as chainTable, perChain } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import type { Sighting } from '../../src/domain/deposit/sighting'
import { type Token, TokenList } from '../../src/domain/money/token'
import type { ScanCursor, Sightings } from '../../src/ports/detection'
import type { Pointers, Wake, Wakes } from '../../src/ports/wakes'
import { asChain, DetectionChain } from './detection-chain'
import { executionsInMemory, recordsOf } from './records'
import { accountsInMemory } from './tenants'
import { unsupportedInMemory } from './unsupported'

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

export const addressOf = (n: number): Address => getAddress(`0xc0de${(n + 1).toString(16).padStart(36, '0')}`)

/** Accounts with increasing creation times. */
export function accountsMade(now: () => number) {
  const accounts = accountsInMemory()
  let made = 0
  function create(changes: Partial<Account> = {}): Address {
    const id = changes.id ?? addressOf(made++)
    accounts.change(id, {
      id,
      version: 1,
      organizationId: 'org_1',
      userId: `user-${made}`,
      accountSalt: '0x',
      canonicalChainId: base,
      label: null,
      createdAt: now(),
      updatedAt: now(),
      ...changes,
    })
    return id
  }
  return { ...accounts, create }
}

export type FlatDetection = DetectionPorts['store'] &
  DetectionPorts['messages'] &
  Pacing &
  DetectionPorts['listeners'] &
  Omit<DetectionPorts['tokens'], 'listed'> &
  Omit<DetectionPorts, 'store' | 'tokens' | 'messages' | 'pacing' | 'listeners'> & { tokens: TokenList }

/** Detection on a world that names its parts in one list. */
export const detectionOn = (world: FlatDetection) =>
  createDetection({
    ...{ store: world, messages: world, pacing: world, listeners: world, ...world },
    tokens: { listed: world.tokens, isPriced: world.isPriced, alsoScanned: world.alsoScanned },
  })

/** Detection on fakes. The clock moves only when a test moves it. */
export function detectionWorld(changes: Partial<FlatDetection> = {}, chain = new DetectionChain(base, 5)) {
  const clock = { at: 1_000_000 }
  const now = () => clock.at
  const executions = executionsInMemory()
  const accounts = accountsMade(now)
  const sightings = recordsOf<Sighting>('sightings')
  const confirming: Sightings['confirming'] = async (chainId, block) =>
    sightings.all().filter((one) => one.chainId === chainId && one.stage === 'CONFIRMING' && one.block <= block)
  const unsupported = unsupportedInMemory(executions)
  const cursors = recordsOf<ScanCursor>('scanCursors')
  const woken: string[] = []
  const troubles: DetectionTrouble[] = []
  const recovered: string[] = []
  const reorgs: ScanCursor[] = []
  const pointed = new Subject<Wake>()
  const pointers: Pointers = { publish: async () => {}, pointers: () => pointed }
  const wakes = { wakeNow: async ({ id }) => void woken.push(id) } as Wakes
  const ports: FlatDetection = {
    chains: perChain(() => asChain(chain)),
    watched: [chain.chainId],
    accounts,
    executions,
    sightings: { ...sightings, confirming },
    unsupported,
    cursors,
    wakes,
    pointers,
    tokens,
    now,
    machineVersion: '1',
    onTrouble: (trouble) => troubles.push(trouble),
    onRecovered: (_chainId, work) => recovered.push(work),
    onReorg: (_chainId, cursor) => reorgs.push(cursor),
    telemetry: noTelemetry,
    ...changes,
  }
  const another = (more: Partial<FlatDetection> = {}) => {
    const made = detectionOn({ ...ports, ...more })
    return { ...made, watch: made.watchOf(ports.watched[0]!)! }
  }
  const detection = another()
  const scan = (): Promise<void> => detection.watch.scanOnce(new AbortController().signal)

  /**
   * Mines a block in which an execution's money leaves the account. The record shows it unless `isRecorded` is false.
   */
  function spend(id: string, amountRaw: bigint, isRecorded = true): void {
    const execution = executions.get(id)
    const { token, account } = execution.deposit
    const [hash] = chain.mine({ paid: [{ token, to: account, amountRaw: -amountRaw }] })
    const spent = { hash: hash!, block: chain.tip.number, amountRaw: String(amountRaw), at: now() }
    const facts = isRecorded ? { spent } : { order: {} as never }
    executions.change(id, { state: 'RUNNING', facts: { ...execution.facts, ...facts } })
  }

  return {
    chain,
    clock,
    executions,
    accounts,
    sightings,
    unsupported,
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
    /** Runs the search for unlisted tokens, long after its last run. */
    look(): Promise<unknown> {
      clock.at += 30_000
      return detection.watch.scanUnlisted()
    },
    /** Runs one balance sweep, long after the last. */
    sweep(): Promise<void> {
      clock.at += 30_000
      return detection.watch.sweepOnce()
    },
    amounts: () => executions.all().map(({ deposit }) => BigInt(deposit.amountRaw)),
    ids: () => executions.all().map(({ id }) => id),
  }
}

/** A detection world with one account, which detects mined transfers once they are confirmed. */
export async function sweepingWorld() {
  const made = detectionWorld()
  const account = made.accounts.create()
  await made.scan()
  const settle = async () => {
    made.chain.mineEmpty(5)
    await made.scan()
    await made.sweep()
  }
  return { ...made, account, settle }
}
