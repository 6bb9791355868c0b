import { executionMachine } from '../../../machines/execution'
import { createDetection, type Detection } from '../../detection/detection'
import { type ChainId, chainIds, chainKeyOf } from '../../domain/chain/chain'
import type { Refunds } from '../../ports/detection'
import { depositLog } from '../logging/outcome-log'
import type { ServicePorts, ServiceSettings } from '../service-ports'
import type { Faults } from './faults'

/**
 * Intervals between two reads of a chain, unless the polling interval is configured. With `closeMs` a deposit is found
 * within five seconds of its confirmation. With `wideMs` webhooks find it, and the reads prove that none was missed.
 */
export const productionPace = { closeMs: 4_500, wideMs: 60_000, spentMs: 110_000 }
/** Longest lease of a chain that a dead process leaves behind, in milliseconds and in polling intervals. */
const leaseMax = { ms: 8_000, polls: 20 }

/** If the polling interval is configured, unlisted tokens are searched once in this many polls. */
const unlistedPolls = 5

type Ports = Pick<ServicePorts, 'name' | 'stores' | 'messages' | 'chains' | 'worth' | 'observing' | 'now'> &
  Faults & {
    refunds: Refunds
    pollMs: (chainId: ChainId) => number
  }

export function detectionOf(ports: Ports, { chainPollMs }: Pick<ServiceSettings, 'chainPollMs'>): Detection {
  const { name, stores, messages, chains, worth, observing, refunds, pollMs, fault, now } = ports
  const { accounts, executions, sightings, unsupported, scanCursors: cursors, observations } = stores
  const { log, telemetry, tracing } = observing
  const { clients, isFed, newHeads, bill } = chains
  return createDetection({
    store: { accounts, executions, sightings, unsupported, cursors, observations },
    chains: clients,
    watched: chainIds,
    tokens: { listed: worth.tokens, isPriced: worth.isPriced },
    messages: { wakes: messages.wakes, pointers: messages.pointers },
    turns: {
      leases: stores.chainLeases,
      holder: name,
      leaseMs: (id) => Math.min(leaseMax.ms, leaseMax.polls * pollMs(id)),
    },
    pacing: {
      isFed,
      isSpent: (id) => bill.isSpent(chainKeyOf(id)),
      newHeads,
      scanEveryMs: pollMs,
      ...(chainPollMs === null ? { pace: productionPace } : { unlistedEveryMs: () => chainPollMs * unlistedPolls }),
    },
    listeners: {
      ...depositLog(log, now, tracing),
      telemetry,
      onTrouble: ({ chainId, work, error }) => fault(chainId ? `${work} of ${chainKeyOf(chainId)}` : work, error),
      onRecovered: (chainId, work) =>
        log.write('CHAIN_RECOVERED', { chain: chainKeyOf(chainId), work }, `${work} has resumed.`),
      onReorg: (chainId, { scannedBlock }, { number }) =>
        log.write('CHAIN_REORGANIZED', { chain: chainKeyOf(chainId), scannedBlock, number }),
    },
    refunds,
    isPending: (chainId, hash) => clients[chainId].hasTransaction(hash),
    machineVersion: executionMachine.version!,
    now,
  })
}
