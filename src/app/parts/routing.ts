import { routeGas } from '../../gas/route-gas'
import type { planLimits } from '../../limits/plan-limits'
import { storedSemaphores } from '../../limits/stored-semaphores'
import type { Refunds } from '../../ports/detection'
import type { OrderSigner, Relayers } from '../../ports/signer'
import { quorumCheck } from '../../routing/delivery/evidence'
import type { LowGas } from '../../routing/engine/sign-blockers'
import { type WorkerListeners, worker } from '../../routing/engine/worker'
import type { QuotePorts } from '../../routing/pricing/quotes'
import { type StepPorts, stepsOn } from '../../routing/steps'
import { targetObjection } from '../../screening/deposit-screening'
import { onBugOf } from '../logging/outcome-log'
import type { ServicePorts, ServiceSettings } from '../service-ports'
import { watchedSteps } from '../telemetry/telemetry'
import { worthOf } from '../worth-of'
import type { Faults } from './faults'

/** What the steps need, without the signer and the relayers' keys. */
export type Routing = Omit<StepPorts, 'signing' | 'relaying'> & {
  signing: Omit<StepPorts['signing'], 'signer'>
  relaying: Omit<StepPorts['relaying'], 'relayers'>
}

type Subjects = 'stores' | 'chains' | 'providers' | 'worth' | 'recipients' | 'signing' | 'pauses' | 'observing' | 'now'
type Ports = Pick<ServicePorts, Subjects> &
  Faults &
  Pick<StepPorts['chains'], 'scannedTo' | 'pollMs'> & {
    refunds: Refunds
    limits: ReturnType<typeof planLimits>
  }

/** Returns what an execution's steps need, without the signer and the relayers' keys. */
export function routingOf(ports: Ports, settings: ServiceSettings): Routing {
  const { stores, providers, worth, signing, pauses, scannedTo, pollMs, refunds, limits, fault, now } = ports
  const { withBreakers: clients, freshHead } = ports.chains
  const { gates: aggregators, gasBooks } = providers
  const { prices, appraiser, tokens } = worth
  const { executions, intents, accounts, lanes, deliveries, blacklist } = stores
  const { quoteTimeoutMs, orderSeconds = 150, ordersPerTransaction = 1, dustFloorUsd } = settings
  const targetObjectionTo = targetObjection(blacklist)
  const objectionTo: QuotePorts['objectionTo'] = (route, { fromChainId }) => targetObjectionTo(route, fromChainId)
  const semaphores = storedSemaphores({ books: stores.semaphoreRecords, now })
  const quoting = { prices, aggregators }
  const onLowGas: LowGas = ({ relayer, chain }) =>
    fault(`gas of ${relayer} on ${chain}`, new Error('A relayer needs native coin'))
  return {
    store: { executions, intents, accounts, lanes, deliveries },
    chains: {
      clients,
      freshHead,
      scannedTo,
      pollMs,
      secondOpinion: quorumCheck(clients, prices, settings.quorumUsd),
    },
    screening: { blacklist, pauses, payable: ports.recipients.payable },
    pricing: {
      quoting: { aggregators, prices, appraiser, objectionTo, quoteTimeoutMs, now },
      seals: signing.seals,
      onQuoted: ports.observing.meters.noteQuoted,
      routeGas: routeGas({ chains: clients, gasBooks, quoting, semaphores, now }),
      mayForgiveGas: limits.mayForgiveGas,
    },
    relaying: { relayerRecords: stores.relayerRecords, ordersPerTransaction, onLowGas },
    signing: { verifyIntent: signing.verifyIntent, orderSeconds },
    delivering: { aggregators, worth: worthOf(prices, tokens) },
    limits: { ...limits, dustFloorUsd },
    refunds,
    now,
  }
}

/** Builds the worker that advances executions. Only the worker receives the signer. */
export function createWorker(
  { routing, outcomes }: { routing: Routing; outcomes: WorkerListeners },
  { signer, relayers }: { signer: OrderSigner; relayers: Relayers },
  { random, messages, observing }: Pick<ServicePorts, 'random' | 'messages' | 'observing'>,
  settings: Pick<ServiceSettings, 'retry' | 'pace'>,
) {
  const { store, chains, relaying, signing, now } = routing
  const { log, meters, telemetry } = observing
  const { relayerRecords, ordersPerTransaction } = relaying
  const signed = { relaying: { ...relaying, relayers }, signing: { ...signing, signer } }
  const steps = watchedSteps(stepsOn({ ...routing, ...signed }), telemetry, meters)
  const onBug = onBugOf(log, now, meters)
  return worker(
    {
      executions: store.executions,
      steps,
      now,
      random,
      onBug,
      retry: settings.retry,
      wakes: messages.wakes,
      chains: chains.clients,
      relayers,
      relayerRecords,
      ordersPerTransaction,
    },
    settings.pace,
    outcomes,
  )
}
