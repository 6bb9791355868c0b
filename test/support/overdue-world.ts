import type { Log } from '../../src/app/logging/log'
import { type LogEvent, logLines } from '../../src/app/logging/log-lines'
import { overdueReporter } from '../../src/app/overdue-reporter'
import { type ChainId, chainIds, perChain } from '../../src/domain/chain/chain'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { Execution } from '../../src/domain/execution/execution'
import type { OverdueKind } from '../../src/domain/execution/overdue'
import { executionGauges } from '../../src/http/metrics/gauges'
import type { ProviderHealth } from '../../src/ports/gate'
import { peopledWorld } from '../http/world'
import { addressOf, executionOf } from './deposits'
import { recordsInMemory } from './records'

type Line = { overdue: OverdueKind; execution: string | null }

/** Every channel that reports overdue things, over one store and a clock that only the test moves. */
export async function overdueWorld() {
  const world = await peopledWorld()
  const { store, clock, ask, operator, platform } = world
  const lines: { warn: Line[]; info: Line[] } = { warn: [], info: [] }
  const write = (event: LogEvent, line: Line) => lines[logLines[event].level as 'warn' | 'info'].push(line)
  const heads = new Map<ChainId, number>()
  const wei = { balance: 10n ** 18n, isDelegated: false }
  const troubles: unknown[] = []
  const health: Pick<ProviderHealth, 'breaker' | 'credentialsRefusedAt' | 'unreadable'> = {
    breaker: 'CLOSED',
    credentialsRefusedAt: null,
    unreadable: null,
  }
  const provider = {
    provider: 'lifi',
    healthy: true,
    isAway: false,
    failsBetween: [],
    failingSince: null,
    errorRate: 0,
    p50Ms: null,
    p95Ms: null,
  }
  const ports = {
    ...store,
    relayerRecords: recordsInMemory<Relayer>(),
    chains: perChain((id) => ({
      confirmations: 10,
      head: async () => ({ number: 1, hash: '0x', time: Math.floor((heads.get(id) ?? clock.now) / 1_000) }) as never,
      fee: async () => ({ feeCap: 10n ** 9n, tip: 1n }),
      nativeBalance: async () => wei.balance,
      minedNonces: async () => 0,
      isDelegated: async () => wei.isDelegated,
    })),
    providerHealth: async (): Promise<ProviderHealth[]> => [{ ...provider, ...health, updatedAt: clock.now }],
    relayers: { onChain: (id: ChainId) => [{ id: `${id}:0`, address: addressOf(0x5e) }] },
    log: { write } as unknown as Log,
    now: () => clock.now,
    onTrouble: (_what: string, error: unknown) => void troubles.push(error),
  }
  /** Two processes, because each overdue thing must be reported only once. */
  const [told, other] = [overdueReporter(ports), overdueReporter(ports)]
  const gauge = executionGauges({ ...ports, overdue: told.overdue } as never).find(({ name }) => name === 'overdue')!

  /** Moves the cursor and the balance sweep of every chain's scanner, except for the given kinds. */
  async function allIsWell(except: readonly OverdueKind[] = []): Promise<void> {
    for (const id of chainIds) {
      const component = { kind: 'SWEEP', chainId: id, provider: null, subject: null } as const
      if (!except.includes('SWEEP')) await store.observations.note(component, clock.now, clock.now)
      const name = perChain((_id, key) => key)[id]
      const cursor = await store.scanCursors.load(name)
      const moved = { scannedBlock: 1, scannedBlockHash: '0x' as const, updatedAt: clock.now }
      if (!except.includes('SCANNER'))
        await store.scanCursors.save({ id: name, version: cursor?.version ?? 0, ...moved })
    }
  }

  return {
    ...world,
    told,
    lines,
    heads,
    relayerRecords: ports.relayerRecords,
    wei,
    health,
    troubles,
    allIsWell,
    /** Moves the clock minute by minute and runs the periodic work of both processes. */
    async pass(ms: number, except: readonly OverdueKind[] = []): Promise<void> {
      for (const end = clock.now + ms; clock.now < end; ) {
        clock.now = Math.min(clock.now + 60_000, end)
        await allIsWell(except)
        await Promise.all([told.report(), other.report()])
      }
    },
    /** Returns how often each channel shows this kind now, and how often the log reported it in total. */
    async seen(kind: OverdueKind) {
      const asked = async (key: string) => {
        const rows = (await ask('/api/operator/overdue', { key })).json as { kind: OverdueKind }[]
        return rows.filter((row) => row.kind === kind)
      }
      const readings = (await gauge.read()).filter(({ labels }) => labels['kind'] === kind)
      return {
        metric: readings.reduce((sum, { value }) => sum + value, 0),
        isMeasured: readings.length > 0,
        page: await asked(platform),
        own: await asked(operator),
        warned: lines.warn.filter(({ overdue }) => overdue === kind).length,
        over: lines.info.filter(({ overdue }) => overdue === kind).length,
      }
    },
    nextOf: async (id: string) => (await ask(`/api/deposits/${id}`, { key: operator })).json.next,
  }
}

/** An execution of `org_a` that has just entered a state and is due in a day. */
export function inState(now: number, state: string, changed: Partial<Execution> = {}): Execution {
  const whose = { organizationId: 'org_a', dueAt: now + 86_400_000, createdAt: now }
  const first = executionOf(1, whose, { detectedAt: now })
  const entry = { seq: 2, at: now, event: 'moved', from: 'matching intent', to: state, status: null, note: null }
  return { ...first, state, seq: 2, history: [...first.history, entry], ...changed }
}
