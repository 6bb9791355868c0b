import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import { rewrite } from '../../domain/concurrency'
import type { Sighting } from '../../domain/deposit/sighting'
import {
  type ConfirmedDeposit,
  type Deposit,
  type Detector,
  depositIdOf,
  type Execution,
  newExecution,
  sweptDepositIdOf,
} from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import type { TokenList } from '../../domain/money/token'
import type { Chains, Transfer } from '../../ports/chain-client'
import type { Arrival, DepositListeners, Refunds, Sightings } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Wakes } from '../../ports/wakes'
import type { Holder } from './address-map'
import { describeToken, isDepositOn, merged, newSighting, sameAs } from './incoming-transfer'

/**
 * The intake's result for a transfer. `STORED`: it was new, and its record starts. `KNOWN`: it was already recorded.
 * `IGNORED`: it is not a deposit.
 */
export type IntakeResult = 'STORED' | 'KNOWN' | 'IGNORED'
/**
 * The senders of money found by its balance. `fromAddress` is set if there was only one sender. `senders` are all
 * addresses that sent it or might have caused the payment; all of them are screened. `isSenderUnknown`: there may be
 * further senders. `paidIn` is every transaction that a node names for it.
 */
export type Senders = { fromAddress: Address | null; senders: Address[]; isSenderUnknown?: true; paidIn?: Hash[] }
type Find = { chainId: ChainId; token: Address; amountRaw: bigint; block: number; find: number } & Senders

type Ports = DepositListeners & {
  executions: Executions
  sightings: Sightings
  wakes: Wakes
  tokens: TokenList
  chains: Chains
  now: () => number
  machineVersion: string
  refunds?: Refunds | undefined
  onTrouble?: ((error: unknown) => void) | undefined
}

const rememberedMax = 20_000

/**
 * Makes the function that stores a deposit's execution and wakes a worker for it. It returns false if the execution was
 * already stored.
 */
function beginning({ executions, wakes, refunds, telemetry, now, onBegun, onTrouble }: Ports) {
  let isWakeFailing = false

  /**
   * Wakes a worker without waiting for the result. The record is due, so a sweeper wakes it if this message is lost.
   */
  function wake({ id, bucket }: Execution): void {
    wakes.wakeNow({ id, bucket, isDue: true }).then(
      () => {
        isWakeFailing = false
      },
      (error) => {
        if (!isWakeFailing) onTrouble?.(error)
        isWakeFailing = true
      },
    )
  }

  /** Stores the execution, unless its id is already stored. Only the process that stored it wakes a worker. */
  const record = (execution: Execution): Promise<boolean> =>
    telemetry.work({ name: 'begin execution', kind: 'INTERNAL', id: execution.id }, async () => {
      const stored = await executions.save(execution)
      if (!stored) return false
      wake(stored)
      onBegun?.(stored)
      return true
    })

  /**
   * Makes the record of a deposit. A refund by a bridge names the execution that it belongs to. If the provider does
   * not respond now, the first step queries it again.
   */
  async function begun(confirmedDeposit: ConfirmedDeposit, arrival: Arrival): Promise<Execution> {
    const fresh = newExecution(confirmedDeposit, now())
    const refund = await refunds?.claim(arrival)
    if (refund === 'UNANSWERED') return { ...fresh, facts: { isUnclaimed: true } }
    return refund ? { ...fresh, refundOf: refund.executionId, facts: { returns: refund.returns } } : fresh
  }

  return async (confirmedDeposit: ConfirmedDeposit, arrival: Arrival): Promise<boolean> =>
    record(await begun(confirmedDeposit, arrival))
}

const orphaningsMax = 20

/** Makes the function that changes a sighting, which other processes may change at the same time. */
const changing =
  ({ sightings, telemetry, now }: Ports) =>
  /** @param read The sighting as just read. If it has not changed since, it is not re-read. */
  async (id: string, next: (sighting: Sighting | null) => Sighting | null, read?: Sighting | null): Promise<void> => {
    const changed = (sighting: Sighting | null) => {
      const after = next(sighting)
      return after && { ...after, updatedAt: now() }
    }
    await telemetry.work({ name: 'note sighting', kind: 'INTERNAL', id }, () =>
      rewrite(sightings, id, changed, { first: read }),
    )
  }

const sharedBy = (ports: Ports) => ({
  executions: ports.executions,
  sightings: ports.sightings,
  onSeen: ports.onSeen,
  machineVersion: ports.machineVersion,
  now: ports.now,
  isDeposit: isDepositOn(ports.tokens),
  describe: describeToken(ports),
  begin: beginning(ports),
  change: changing(ports),
  /** For each sighting, the block and the detector recorded last. */
  shown: new BoundedMap<string, string>(rememberedMax),
  /** For each execution, the detectors recorded for its deposit. */
  recorded: new BoundedMap<string, Set<Detector>>(rememberedMax),
  lastSeenAt: new Map<Detector, number>(),
})
type Shared = ReturnType<typeof sharedBy>
type Sight = { chainId: ChainId; transfer: Transfer; account: Holder; detector: Detector }

export type Intake = ReturnType<typeof intake>

/**
 * The intake shared by all detectors. An unconfirmed transfer is shown, and a confirmed transfer becomes exactly one
 * execution.
 */
export function intake(ports: Ports) {
  const shared = sharedBy(ports)
  const { shown, change, lastSeenAt } = shared

  return {
    lastSeenAt: (detector: Detector): number | null => lastSeenAt.get(detector) ?? null,

    /** Takes a transfer in a block that might still vanish: it is shown but not routed. */
    seen: (chainId: ChainId, transfer: Transfer, account: Holder, detector: Detector): Promise<IntakeResult> =>
      takeSeen(shared, { chainId, transfer, account, detector }),

    /** Takes a transfer in a confirmed block: its execution starts. */
    confirmed: (chainId: ChainId, transfer: Transfer, account: Holder, detector: Detector): Promise<IntakeResult> =>
      takeConfirmed(shared, { chainId, transfer, account, detector }),

    /** Takes money that left no log, or whose log was never read. Two sweepers give it the same id. */
    swept: (account: Holder, find: Find): Promise<IntakeResult> => takeSwept(shared, account, find),

    /** Records that the transaction is no longer in its block. If it comes back, it counts as newly seen. */
    async orphaned({ id, blockHash }: Sighting): Promise<void> {
      shown.delete(id)
      await change(id, (before) => {
        if (before?.stage !== 'CONFIRMING' || before.blockHash !== blockHash) return null
        const orphanedAt = [...(before.orphanedAt ?? []), ports.now()].slice(-orphaningsMax)
        return { ...before, stage: 'ORPHANED', orphanedAt }
      })
    },

    /** Records that the sighting's execution exists. */
    async routed({ id }: Sighting): Promise<void> {
      await change(id, (before) => (before && before.stage !== 'CONFIRMED' ? { ...before, stage: 'CONFIRMED' } : null))
    },
  }
}

async function takeSeen(shared: Shared, { chainId, transfer, account, detector }: Sight): Promise<IntakeResult> {
  const { shown, change, now } = shared
  if (!shared.isDeposit(chainId, transfer)) return 'IGNORED'
  shared.lastSeenAt.set(detector, now())
  const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
  const shownAs = `${transfer.blockHash}:${detector}`
  if (shown.get(id) === shownAs) return 'KNOWN'
  let intakeResult: IntakeResult = 'KNOWN'
  await change(id, (before) => {
    const fresh = newSighting(id, chainId, transfer, account, detector, now())
    intakeResult = before ? 'KNOWN' : 'STORED'
    if (!before) return fresh
    const detectedBy = merged(before.detectedBy, detector)
    if (before.stage === 'CONFIRMED') return sameAs(before, detectedBy) ? null : { ...before, detectedBy }
    const isSame = before.stage === 'CONFIRMING' && before.blockHash === transfer.blockHash
    if (isSame && sameAs(before, detectedBy)) return null
    const { version, detectedAt, orphanedAt } = before
    return { ...fresh, version, detectedAt, detectedBy, ...(orphanedAt && { orphanedAt }) }
  })
  shown.set(id, shownAs)
  if ((intakeResult as IntakeResult) === 'STORED') shared.onSeen?.(id, chainId)
  return intakeResult
}

async function takeConfirmed(shared: Shared, { chainId, transfer, account, detector }: Sight): Promise<IntakeResult> {
  const { executions, sightings, recorded, now, machineVersion } = shared
  if (!shared.isDeposit(chainId, transfer)) return 'IGNORED'
  shared.lastSeenAt.set(detector, now())
  const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
  const detectors = recorded.get(id)
  if (detectors?.has(detector)) return 'KNOWN'

  const sighting = await sightings.load(id)
  const { token, ...description } = await shared.describe(chainId, transfer.token)
  const deposit: Deposit = {
    lane: laneId(account.id, chainId, token),
    account: account.id,
    chainId,
    token,
    ...description,
    amountRaw: String(transfer.amountRaw),
    block: transfer.block,
    txHash: transfer.txHash,
    logIndex: transfer.logIndex,
    fromAddress: transfer.from,
    detectedBy: merged(sighting?.detectedBy ?? [], detector),
    detectedAt: sighting?.detectedAt ?? now(),
  }
  const arrival = { ...deposit, id, amountRaw: transfer.amountRaw }
  const { organizationId, userId } = account
  const draft = { id, organizationId, userId, deposit, machineVersion }
  const isNew = !detectors && !(await executions.load(id)) && (await shared.begin(draft, arrival))

  const listed = isNew ? deposit.detectedBy : detectors && [...detectors]
  const by = listed ?? (await executions.load(id))?.deposit.detectedBy ?? []
  const settle = (before: Sighting | null): Sighting | null => {
    if (!before && by.includes(detector)) return null // the execution already names this detector
    const fresh = before ?? newSighting(id, chainId, transfer, account, detector, now())
    const detectedBy = merged([...new Set([...by, ...fresh.detectedBy])], detector)
    if (fresh.stage === 'CONFIRMED' && sameAs(fresh, detectedBy)) return null
    return { ...fresh, detectedBy, stage: 'CONFIRMED' }
  }
  await shared.change(id, settle, sighting)
  recorded.set(id, new Set([...(detectors ?? []), ...by, detector]))
  return isNew ? 'STORED' : 'KNOWN'
}

async function takeSwept(
  shared: Shared,
  account: Holder,
  { chainId, token, amountRaw, block, find, ...senders }: Find,
): Promise<IntakeResult> {
  const { now, machineVersion } = shared
  shared.lastSeenAt.set('SWEEP', now())
  const id = sweptDepositIdOf(chainId, account.id, token, find)
  const description = await shared.describe(chainId, token)
  const deposit: Deposit = {
    lane: laneId(account.id, chainId, description.token),
    account: account.id,
    chainId,
    ...description,
    amountRaw: String(amountRaw),
    block,
    txHash: null,
    logIndex: null,
    ...senders,
    detectedBy: ['SWEEP'],
    detectedAt: now(),
  }
  const { organizationId, userId } = account
  const draft = { id, organizationId, userId, deposit, machineVersion }
  return (await shared.begin(draft, { ...deposit, id, amountRaw })) ? 'STORED' : 'KNOWN'
}
