import { executionMachine } from '../../../machines/execution'
import { freshHead } from '../../../src/adapters/evm/heads'
import { noTelemetry } from '../../../src/adapters/no-telemetry'
import type { readTransaction } from '../../../src/detection/chains/read-transaction'
import type { scanBlocks } from '../../../src/detection/chains/scan-blocks'
import { type Intake, intake } from '../../../src/detection/intake/intake'
import type { sweepBalances } from '../../../src/detection/sweeps/sweep-balances'
import type { ChainId } from '../../../src/domain/chain/chain'
import type { GasRecord } from '../../../src/domain/money/gas'
import type { Seals } from '../../../src/domain/seals'
import type { AppenderPorts } from '../../../src/events/appender'
import { routeGas } from '../../../src/gas/route-gas'
import { sharedGasBooks } from '../../../src/gas/shared-gas-books'
import type { Chains } from '../../../src/ports/chain-client'
import type { ScanCursors, Sightings } from '../../../src/ports/detection'
import type { Executions } from '../../../src/ports/executions'
import type { Gate } from '../../../src/ports/gate'
import type { Limits } from '../../../src/ports/limits'
import type { Pauses } from '../../../src/ports/operators'
import type { Records } from '../../../src/ports/records'
import type { OrderSigner, Relayers, VerifyIntent } from '../../../src/ports/signer'
import type { Blacklist, DepositIntents } from '../../../src/ports/tenants'
import type { Wakes } from '../../../src/ports/wakes'
import type { EventLog, EventMarks } from '../../../src/ports/webhooks'
import type { Aggregator } from '../../../src/providers/aggregator'
import { quorumCheck } from '../../../src/routing/delivery/evidence'
import { refunds } from '../../../src/routing/delivery/refunds'
import type { Steps } from '../../../src/routing/engine/step'
import type { sweep } from '../../../src/routing/engine/wake-ups'
import type { OperationPorts } from '../../../src/routing/operations/ports'
import type { StepPorts } from '../../../src/routing/steps'
import { believing, pricedAt } from '../appraisers'
import { usualTokens } from '../outage'
import { recordsInMemory } from '../records'
import { anyIntent, anySeal } from '../seals'
import { stepsIn } from '../steps'
import { unlimited } from '../unlimited'
import type { ApiBug } from './api'
import type { Books } from './books'
import { largeRaw } from './bridge'
import type { SignerParts } from './capped-signer'
import { blockMs, chainSeconds } from './chain'
import type { QuotaBug } from './quotas'

/** A worker's view of the world. A planted bug replaces parts of it. */
export type View = {
  executions: Executions
  lanes: StepPorts['store']['lanes']
  deliveries: StepPorts['store']['deliveries']
  relayerRecords: StepPorts['relaying']['relayerRecords']
  intents: DepositIntents
  gasBooks?: Records<GasRecord>
  /** The log of events. A small world has none. */
  log?: { records: AppenderPorts['records']; eventLog: EventLog; eventMarks: EventMarks }
  chains: Chains
  /** The provider without its gate. */
  provider: Aggregator
  aggregators: readonly Gate[]
  blacklist: Blacklist
  signer: OrderSigner
  relayers: Relayers
  /** How intents are sealed. A small world accepts every intent. */
  sealing?: { seals: Seals; verifyIntent: VerifyIntent }
  ordersPerTransaction: number
  scannedTo: (chainId: ChainId) => Promise<number>
  now: () => number
  /** What detection stores. A small world detects nothing. */
  watching?: { sightings: Sightings; cursors: ScanCursors }
  intake?: (intake: Intake) => Partial<Intake>
  scanning?: (ports: Parameters<typeof scanBlocks>[0]) => Partial<Parameters<typeof scanBlocks>[0]>
  reading?: (ports: Parameters<typeof readTransaction>[0]) => Partial<Parameters<typeof readTransaction>[0]>
  sweeping?: (ports: Parameters<typeof sweepBalances>[0]) => Partial<Parameters<typeof sweepBalances>[0]>
  /** The separate signer. Most worlds have none. */
  signing?: (settings: SignerParts) => Partial<SignerParts>
  /** What finance reads at the end. A small world has none. */
  books?: Books
  operationPorts?: Partial<OperationPorts>
  /** How a process limits what it routes. Most worlds have no limits. */
  limitsWith?: (bug: QuotaBug | undefined) => Limits
  quota?: QuotaBug
  api?: ApiBug
  steps?: (steps: Steps) => Partial<Steps>
  sweep?: typeof sweep
}
export type Bug = (view: View) => Partial<View>

/** A chain with a second node. */
export const secondedBy = <Client extends object>(client: Client, second: object): Client =>
  new Proxy(client, { get: (target, name) => (name === 'second' ? second : Reflect.get(target, name)) })

/** What recognises money that the bridge sent back. */
export const refundsOf = ({ executions, aggregators, chains, now }: View) =>
  refunds({ executions, aggregators, chains, now, onTrouble: () => {} })

/** The intake of a process on this view of the world. */
export const intakeOf = (view: View, wakes: Pick<Wakes, 'wakeNow'>) =>
  intake({
    ...view,
    sightings: view.watching!.sightings,
    wakes: wakes as Wakes,
    tokens: usualTokens,
    machineVersion: executionMachine.version!,
    telemetry: noTelemetry,
    refunds: refundsOf(view),
  })

/** The product's steps on this view of the world. */
export function stepsOf(view: View, pauses: Pauses): Steps {
  const { aggregators, now } = view
  const prices = pricedAt(100_000_000n)
  const gasBooks = sharedGasBooks({ books: view.gasBooks ?? recordsInMemory<GasRecord>(), now })
  const quoteTimeoutMs = 3_600_000
  const steps = stepsIn({
    orderSeconds: 150,
    ...view,
    ...(view.sealing ?? { seals: anySeal, verifyIntent: anyIntent }),
    pauses,
    quoting: { aggregators, prices, appraiser: believing, quoteTimeoutMs, now },
    limits: view.limitsWith?.(view.quota) ?? unlimited,
    refunds: refundsOf(view),
    mayForgiveGas: async () => true,
    secondOpinion: quorumCheck(view.chains, prices, largeRaw * 100n),
    routeGas: routeGas({ chains: view.chains, gasBooks, quoting: { prices, aggregators }, now }),
    onLowGas: () => {},
    payable: async () => null,
    accounts: { load: async () => null },
    freshHead: freshHead(view.chains[8453], chainSeconds(60_000) * 1_000, () => chainSeconds(now()) * 1_000),
    pollMs: () => blockMs,
  })
  return { ...steps, ...view.steps?.(steps) }
}
