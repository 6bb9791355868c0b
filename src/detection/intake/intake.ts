import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Sighting } from '../../domain/deposit/sighting'
import {
  type Deposit,
  type Detector,
  depositIdOf,
  type Execution,
  sweptDepositIdOf,
} from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import { type Found, newExecution } from '../../domain/execution/new-execution'
import type { TokenList } from '../../domain/money/token'
import type { Chains, Transfer } from '../../ports/chain-client'
import type { DepositNews, Sightings } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Arrival, Refunds } from '../../ports/refunds'
import type { Wakes } from '../../ports/wakes'
import type { Senders } from '../chains/find-senders'
import type { Holder } from './address-map'
import { boundedMap } from './bounded-map'
import { describeToken } from './describe-token'
import { isDepositOn } from './is-deposit'
import { merged, newSighting, sameAs } from './new-sighting'

/**
 * What the intake did. `STORED`: it was new, and its record begins. `KNOWN`: somebody was first. `IGNORED`: it is not a
 * deposit.
 */
export type IntakeResult = 'STORED' | 'KNOWN' | 'IGNORED'
export type Find = { chainId: ChainId; token: Address; amountRaw: bigint; block: number; find: number } & Senders

type Ports = DepositNews & {
  executions: Executions
  sightings: Sightings
  wakes: Wakes
  tokens: TokenList
  chains: Chains
  now: () => number
  machineVersion: string
  refunds?: Refunds
  onTrouble?: (error: unknown) => void
}

const [rememberedMax, writersMax] = [20_000, 20]

export type Intake = ReturnType<typeof intake>

/**
 * The place where all detectors meet. An unconfirmed transfer is shown, and a confirmed one becomes an execution, once.
 */
export function intake(ports: Ports) {
  const { executions, sightings, wakes, tokens, chains, now, machineVersion } = ports
  const shown = boundedMap<string>(rememberedMax)
  const recorded = boundedMap<Set<Detector>>(rememberedMax)
  const describe = describeToken({ tokens, chains })
  const isDeposit = isDepositOn(tokens)
  const lastSeenAt = new Map<Detector, number>()
  let isBellSilent = false
  const { telemetry } = ports
  const work = <Answer>(name: string, id: string, run: () => Promise<Answer>): Promise<Answer> =>
    telemetry.work({ name, kind: 'INTERNAL', id }, run)

  /**
   * Wakes a worker without waiting for the result. The record is due, so a sweeper wakes it if this message is lost.
   */
  function ring(due: Parameters<Wakes['wake']>[0]): void {
    wakes.wake(due).then(
      () => {
        isBellSilent = false
      },
      (error) => {
        if (!isBellSilent) ports.onTrouble?.(error)
        isBellSilent = true
      },
    )
  }

  /** Stores the execution. Its id decides who was first, and only that process wakes a worker. */
  const record = (execution: Execution): Promise<boolean> =>
    work('begin execution', execution.id, async () => {
      const stored = await executions.save(execution)
      if (!stored) return false
      ring(stored)
      ports.onBegun?.(stored)
      return true
    })

  /**
   * Makes the record of a deposit. Money that a bridge sent back names the execution that it belongs to. If the
   * provider does not answer now, the first step asks again.
   */
  async function begun(found: Found, arrival: Arrival): Promise<Execution> {
    const fresh = newExecution(found, now())
    const refund = await ports.refunds?.claim(arrival)
    if (refund === 'UNANSWERED') return { ...fresh, facts: { isUnclaimed: true } }
    return refund ? { ...fresh, refundOf: refund.executionId, facts: { returns: refund.returns } } : fresh
  }

  /** @param read The sighting as it was read a moment ago. If it has not changed since, it is not read again. */
  const change = (id: string, next: (sighting: Sighting | null) => Sighting | null, read?: Sighting | null) =>
    work('note sighting', id, async () => {
      for (let n = 0; n < writersMax; n++) {
        const changed = next(n === 0 && read !== undefined ? read : await sightings.load(id))
        if (!changed || (await sightings.save({ ...changed, updatedAt: now() }))) return
      }
    })

  return {
    lastSeenAt: (detector: Detector): number | null => lastSeenAt.get(detector) ?? null,

    /** Takes a transfer in a block that may still vanish: it is shown and not routed. */
    async seen(chainId: ChainId, transfer: Transfer, account: Holder, detector: Detector): Promise<IntakeResult> {
      if (!isDeposit(chainId, transfer)) return 'IGNORED'
      lastSeenAt.set(detector, now())
      const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
      const news = `${transfer.blockHash}:${detector}`
      if (shown.get(id) === news) return 'KNOWN'
      let taken: IntakeResult = 'KNOWN'
      await change(id, (before) => {
        const fresh = newSighting(id, chainId, transfer, account, detector, now())
        taken = before ? 'KNOWN' : 'STORED'
        if (!before) return fresh
        const detectedBy = merged(before.detectedBy, detector)
        if (before.stage === 'CONFIRMED') return sameAs(before, detectedBy) ? null : { ...before, detectedBy }
        const isSame = before.stage === 'CONFIRMING' && before.blockHash === transfer.blockHash
        if (isSame && sameAs(before, detectedBy)) return null
        const { version, detectedAt } = before
        return { ...fresh, version, detectedAt, detectedBy }
      })
      shown.set(id, news)
      if ((taken as IntakeResult) === 'STORED') ports.onSeen?.(id, chainId)
      return taken
    },

    /** Takes a transfer in a confirmed block: its execution begins. */
    async confirmed(chainId: ChainId, transfer: Transfer, account: Holder, detector: Detector): Promise<IntakeResult> {
      if (!isDeposit(chainId, transfer)) return 'IGNORED'
      lastSeenAt.set(detector, now())
      const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
      const detectors = recorded.get(id)
      if (detectors?.has(detector)) return 'KNOWN'

      const sighting = await sightings.load(id)
      const { token, ...description } = await describe(chainId, transfer.token)
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
      const found = { id, organizationId: account.organizationId, userId: account.userId, deposit, machineVersion }
      const isNew = !detectors && !(await executions.load(id)) && (await record(await begun(found, arrival)))

      const by = isNew ? deposit.detectedBy : ((await executions.load(id))?.deposit.detectedBy ?? [])
      const settle = (before: Sighting | null): Sighting | null => {
        if (!before && by.includes(detector)) return null // the record itself says everything
        const fresh = before ?? newSighting(id, chainId, transfer, account, detector, now())
        const detectedBy = merged([...new Set([...by, ...fresh.detectedBy])], detector)
        if (fresh.stage === 'CONFIRMED' && sameAs(fresh, detectedBy)) return null
        return { ...fresh, detectedBy, stage: 'CONFIRMED' }
      }
      await change(id, settle, sighting)
      recorded.set(id, new Set([...(detectors ?? []), ...by, detector]))
      return isNew ? 'STORED' : 'KNOWN'
    },

    /** Takes money that left no log, or whose log nobody read. Two sweepers make the same id. */
    async swept(account: Holder, { chainId, token, amountRaw, block, find, ...senders }: Find): Promise<IntakeResult> {
      lastSeenAt.set('SWEEP', now())
      const id = sweptDepositIdOf(chainId, account.id, token, find)
      const description = await describe(chainId, token)
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
      const found = { id, organizationId: account.organizationId, userId: account.userId, deposit, machineVersion }
      return (await record(await begun(found, { ...deposit, id, amountRaw }))) ? 'STORED' : 'KNOWN'
    },

    /** Notes that the transaction is no longer in its block. If it comes back, it is seen anew. */
    async orphaned({ id, blockHash }: Sighting): Promise<void> {
      shown.forget(id)
      await change(id, (before) =>
        before?.stage === 'CONFIRMING' && before.blockHash === blockHash ? { ...before, stage: 'ORPHANED' } : null,
      )
    },

    /** Notes that the sighting's execution exists. */
    async routed({ id }: Sighting): Promise<void> {
      await change(id, (before) => (before && before.stage !== 'CONFIRMED' ? { ...before, stage: 'CONFIRMED' } : null))
    },
  }
}
