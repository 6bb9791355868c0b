import type { SchedulerLike } from 'rxjs'
import { withHistoryEntry } from '../../../machines/execution'
import type { ChainId } from '../../domain/chain/chain'
import { rewrite } from '../../domain/concurrency'
import type { Execution } from '../../domain/execution/execution'
import { includedResidue, type Lane, type Successor, successorOf, supersedings } from '../../domain/execution/lane'
import { amountOf } from '../../domain/money/amount'
import type { RouteGas } from '../../gas/route-gas'
import type { Block, Chains } from '../../ports/chain-client'
import type { Refunds } from '../../ports/detection'
import type { Deliveries, Executions } from '../../ports/executions'
import type { Gate } from '../../ports/gate'
import type { Limits, WorthOf } from '../../ports/limits'
import type { Pauses } from '../../ports/operators'
import type { Records } from '../../ports/records'
import type { OrderDrafter, OrderSigner, RelayerAddresses, VerifyIntent } from '../../ports/signer'
import type { Accounts, Blacklist, DepositIntents } from '../../ports/tenants'
import type { QuorumCheck } from '../delivery/evidence'
import type { RelayersOfAll } from '../delivery/relayer-slots'
import type { Payable } from '../engine/payable'
import type { LowGas } from '../engine/sign-blockers'
import type { Step, StepOutcome, Steps } from '../engine/step'
import type { Routing } from '../pricing/quotes'
import { confirmDelivery } from './confirm-delivery'
import { findRoute } from './find-route'
import { matchIntent } from './match-intent'
import { priceFees } from './price-fees'
import { screenDeposit } from './screen-deposit'
import { signOrder } from './sign-order'
import { submitOrder } from './submit-order'
import { takeLane } from './take-lane'
import { verifyBalance } from './verify-balance'

/** What the steps need, by subject. */
export type StepPorts = {
  store: {
    executions: Executions
    intents: DepositIntents
    accounts: Pick<Accounts, 'load'>
    lanes: Records<Lane>
    deliveries: Deliveries
  }
  chains: ChainReads
  screening: Screening
  pricing: Pricing
  /** The relayers' keys, and what their transactions cost us. */
  relaying: Omit<RelayersOfAll, 'now'> & { onLowGas: LowGas }
  signing: { signer: OrderSigner; verifyIntent: VerifyIntent; orderSeconds: number }
  delivering: Delivering
  limits: Limits
  /** Recognises money that a bridge returned. */
  refunds?: Refunds | undefined
  now: () => number
}

/** What the steps read of the chains. */
type ChainReads = {
  clients: Chains
  freshHead: (chainId: ChainId) => Promise<Block>
  scannedTo: (chainId: ChainId) => Promise<number>
  pollMs: (chainId: ChainId) => number
  secondOpinion?: QuorumCheck | undefined
}

/** What stops a deposit before anything is quoted. */
type Screening = { blacklist: Blacklist; pauses: Pauses; payable: Payable }

/** Quotes, fees and gas. */
type Pricing = Pick<Routing, 'quoting' | 'seals' | 'onQuoted'> & {
  routeGas: RouteGas
  mayForgiveGas: (organizationId: string) => Promise<boolean>
}

/** Evidence of providers about money in flight, and the value of what arrived. */
type Delivering = {
  aggregators: readonly Pick<Gate, 'name' | 'outcome'>[]
  worth?: WorthOf | undefined
  scheduler?: SchedulerLike | undefined
}

type PreviewPorts = {
  executions: Executions
  chains: Chains
  screening: Screening
  pricing: Pricing
  signer: OrderDrafter
  relayers: RelayerAddresses
  limits: Limits
  now: () => number
}

/** The steps that a preview runs, before anything is signed. They need no key, and the deposit need not exist. */
export function previewStepsOn(ports: PreviewPorts) {
  const { executions, chains, screening, pricing, signer, relayers, limits, now } = ports
  const { quoting, seals, onQuoted, routeGas, mayForgiveGas } = pricing
  const routing = { quoting, seals, onQuoted, chains, now }
  return {
    screenDeposit: screenDeposit({ ...screening, executions, now, isPreview: true }),
    findRoute: findRoute({ ...routing, limits, routeGas }),
    priceFees: priceFees({ ...routing, signer, relayers, routeGas, mayForgiveGas }),
  }
}

/** Every step that the machine names. */
export function stepsOn(ports: StepPorts): Steps {
  const { store, screening, relaying, signing, delivering, limits, refunds, now } = ports
  const { executions, intents, accounts, lanes, deliveries } = store
  const { clients: chains, freshHead, scannedTo, pollMs, secondOpinion } = ports.chains
  const { blacklist, pauses, payable } = screening
  const { seals, onQuoted, routeGas, mayForgiveGas } = ports.pricing
  const { relayers, relayerRecords, ordersPerTransaction, onLowGas } = relaying
  const { signer, verifyIntent, orderSeconds } = signing
  const quoting = { ...ports.pricing.quoting, unreadUntil: signer.unreadUntil }
  const routing = { quoting, seals, onQuoted, chains, now }
  const price = priceFees({ ...routing, signer, relayers, routeGas, mayForgiveGas })
  const steps: Steps = {
    matchIntent: matchIntent({ intents, accounts, verifyIntent, refunds, executions, now }),
    screenDeposit: screenDeposit({ blacklist, executions, pauses, payable, now }),
    takeLane: takeLane({ lanes, executions, now }),
    verifyBalance: verifyBalance({ chains, executions, blacklist, scannedTo, pollMs, secondOpinion, now }),
    findRoute: findRoute({ ...routing, limits, routeGas }),
    priceFees: price,
    signOrder: signOrder(
      {
        screening: { blacklist, executions },
        chains,
        signer,
        relaying: { relayers, relayerRecords, now },
        freshHead,
        pauses,
        payable,
        onLowGas,
        limits,
        quoting,
        orderSeconds,
        now,
      },
      price,
    ),
    submitOrder: submitOrder({ relayers, relayerRecords, ordersPerTransaction, chains, pauses, limits, now }),
    confirmDelivery: confirmDelivery({
      ...delivering,
      relayers,
      relayerRecords,
      deliveries,
      executions,
      chains,
      pollMs,
      secondOpinion,
      limits,
      now,
    }),
  }
  return notingSuperseded(steps, { executions, now })
}

type SupersedePorts = { executions: Pick<Executions, 'load' | 'save' | 'residueIn'>; now: () => number }

/**
 * Stores which execution now has a record's money, unless that is already stored. If another writer was faster, it
 * re-reads the record.
 *
 * @returns The record as it is stored afterwards.
 */
const supersede = (
  id: string,
  { id: successor, by }: Successor,
  { executions, now }: SupersedePorts,
): Promise<Execution | null> =>
  rewrite(executions, id, (record) => {
    // Money that left by the record's own order was not included by another.
    if (!record || successorOf(record) !== null || (by === 'takenBy' && record.facts.spent)) return null
    const { state, status } = record
    const entry = { at: now(), event: supersedings[by].event, from: state, to: state, status, note: null }
    return withHistoryEntry({ ...record, [by]: successor }, entry)
  })

/**
 * Stores that an execution included a record's money. A re-drive that was requested while the order was signed claims
 * the same money, so its record also names that execution. The re-drive then reserves nothing and ends without funds.
 */
async function noteTakenFrom(id: string, takenBy: string, ports: SupersedePorts): Promise<void> {
  for (let from: string | null = id; from !== null; ) {
    const record: Execution | null = await supersede(from, { id: takenBy, by: 'takenBy' }, ports)
    from = record?.redrivenBy ?? null
  }
}

/**
 * Wraps the steps to update the records whose money an execution takes over. Those records are written before the
 * execution's own, so a crash in between repeats the update. A re-driven record is updated before its re-drive acts. A
 * record whose money was included is updated before that money is recorded as gone.
 */
export function notingSuperseded(steps: Steps, ports: SupersedePorts): Steps {
  const noteRedriven = async ({ id, redriveOf }: Execution) => {
    if (redriveOf === null) return
    const record = await supersede(redriveOf, { id, by: 'redrivenBy' }, ports)
    const successor = record && successorOf(record)
    if (successor?.by === 'takenBy') await noteTakenFrom(id, successor.id, ports)
  }
  async function noteTaken(execution: Execution, outcome: StepOutcome): Promise<void> {
    const spent = outcome.facts?.spent
    if (!spent || execution.facts.spent || amountOf(spent.amountRaw) <= amountOf(execution.deposit.amountRaw)) return
    const there = () => ports.executions.residueIn(execution.deposit.lane)
    const taken = execution.facts.residue ?? includedResidue(execution, amountOf(spent.amountRaw), await there())
    for (const id of taken) await noteTakenFrom(id, execution.id, ports)
  }
  const before =
    (step: Step): Step =>
    async (execution) => {
      await noteRedriven(execution)
      return step(execution)
    }
  const after =
    (step: Step): Step =>
    async (execution) => {
      const outcome = await step(execution)
      await noteTaken(execution, outcome)
      return outcome
    }
  return {
    ...steps,
    matchIntent: before(steps.matchIntent),
    submitOrder: after(steps.submitOrder),
    confirmDelivery: after(steps.confirmDelivery),
  }
}
