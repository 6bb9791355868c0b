import type { SchedulerLike } from 'rxjs'
import type { Unexplained } from '../../audit/report'
import { type ChainId, chainKeyOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { type Component, type Observation, observationId } from '../../domain/execution/overdue'
import type { Semaphore } from '../../domain/limits/semaphore'
import { type Repeated, repeat } from '../../domain/repeat'
import { storedLease } from '../../limits/stored-semaphores'
import type { Observations } from '../../ports/observing'
import type { Records } from '../../ports/records'
import type { Log } from '../logging/log'
import { type AuditPorts, auditAt, fixedBlocks } from './audit'
import { type ChainAt, reasonOf } from './chain-at'
import { changesSince, type Earlier, type WatchedChain } from './changes-since'

export type Audited = Omit<AuditPorts, 'chains' | 'onPage'> & { chains: Record<ChainId, WatchedChain> }

type AuditingPorts = {
  audited: Audited
  observations: Observations
  books: Records<Semaphore>
  /** Unique to this process. */
  name: string
  /** Whether the day's budget for requests to a chain's nodes is spent. */
  isSpent: (chainId: ChainId) => boolean
  log: Pick<Log, 'write'>
  now: () => number
  onTrouble: (error: unknown) => void
  scheduler?: SchedulerLike
}

const everyMs = 30 * 60_000
const wholeMs = 24 * 60 * 60_000
const lease = { forMs: 2 * everyMs, renewMs: 10 * 60_000 }
/** Most findings of a chain that are recorded one by one. */
const listedMax = 20

const componentOf = (kind: 'AUDIT' | 'UNEXPLAINED', chainId: ChainId, subject: string | null = null): Component => ({
  kind,
  chainId,
  provider: null,
  subject,
})
const subjectOf = ({ kind, address, token }: Unexplained): string =>
  `${kind.toLowerCase()} ${address.toLowerCase()}${token ? `, token ${token.toLowerCase()}` : ''}`
/** The account that a finding names, in lower case. Null for a relayer or the collector. */
const accountOf = ({ subject }: Observation): string | null => /^account (0x\w{40})/.exec(subject ?? '')?.[1] ?? null

/**
 * The audit while the service runs: one process, twice an hour. It reads the accounts whose balance has changed or
 * whose money an executor has moved, and once a day all of them. A round without either sends each chain a few
 * requests. A finding is an observation, which is overdue until the money is explained.
 */
export function auditing(ports: AuditingPorts): Repeated & { round: () => Promise<void> } {
  const { audited, observations, books, name, isSpent, log, now, scheduler } = ports
  let isStopped = false
  const onTrouble = (error: unknown): void => {
    if (!isStopped) ports.onTrouble(error)
  }
  const turn = storedLease(books, 'auditing', { holder: name, ...lease, now })
  const fromBlocks = new Map<ChainId, number>()
  const earlier = new Map<ChainId, Earlier>()
  const auditPorts = { ...audited, onPage: () => void turn.hold().catch(onTrouble) }

  async function round(): Promise<void> {
    if (!(await turn.hold())) {
      earlier.clear() // another process continues
      return
    }
    const recorded = await observations.all()
    const { addresses, ats } = await fixedBlocks(audited, { fromBlocks, isSpent })
    const auditedAt = new Map(
      recorded.flatMap(({ kind, chainId, okAt }) => (kind === 'AUDIT' ? [[chainId, okAt]] : [])),
    )
    const startedAt = now()
    const dueAts = ats.filter((at) => at.reason === null && (auditedAt.get(at.chainId) ?? 0) + wholeMs <= startedAt)
    const changes = new Map(await Promise.all(ats.map(async (at) => [at, await since(at)] as const)))
    const whole =
      dueAts.length === 0 ? [] : (await auditAt(auditPorts, dueAts, { addresses, isWhole: true })).unexplained
    for (const at of ats) {
      const { chainId } = at
      const open = recorded.filter((one) => one.kind === 'UNEXPLAINED' && one.chainId === chainId && one.okAt < one.at)
      const isWhole = dueAts.includes(at)
      const { changed, unexplained } = changes.get(at)!
      const chosen = new Set([...changed, ...open.flatMap((one) => accountOf(one) ?? [])])
      const own = isWhole
        ? whole.filter(({ chain }) => chain === chainKeyOf(chainId))
        : await ofAccounts(at, addresses, chosen)
      const isRead = at.reason === null
      const isReadAgain = (one: Observation) => isRead && (isWhole || chosen.has(accountOf(one) ?? ''))
      await note(chainId, isRead ? [...unexplained, ...own] : [], open, isReadAgain)
      const component = componentOf('AUDIT', chainId)
      if (isRead && isWhole) await observations.note(component, startedAt, startedAt)
      else if (!auditedAt.has(chainId)) await observations.note(component, startedAt, startedAt - wholeMs)
      if (isRead) earlier.set(chainId, { block: at.block, held: at.held, coins: at.coins })
    }
  }

  async function since(at: ChainAt): Promise<Awaited<ReturnType<typeof changesSince>>> {
    const last = earlier.get(at.chainId)
    const nothing = { changed: new Set<string>(), unexplained: [] }
    if (!last || at.reason !== null) return nothing
    try {
      return await changesSince(at, last, audited.chains[at.chainId], audited.collector)
    } catch (error) {
      at.reason = reasonOf(error)
      return nothing
    }
  }

  async function ofAccounts(at: ChainAt, all: readonly Address[], chosen: ReadonlySet<string>): Promise<Unexplained[]> {
    const addresses = all.filter((address) => chosen.has(address.toLowerCase()))
    if (addresses.length === 0 || at.reason !== null) return []
    return (await auditAt(auditPorts, [at], { addresses, isWhole: false })).unexplained
  }

  /** Records new findings, and ends those that are explained. A finding that was not read again stays open. */
  async function note(
    chainId: ChainId,
    unexplained: readonly Unexplained[],
    open: readonly Observation[],
    isReadAgain: (one: Observation) => boolean,
  ): Promise<void> {
    const listed = new Map(unexplained.slice(0, listedMax).map((one) => [subjectOf(one), one]))
    const subjects = new Set(unexplained.map(subjectOf))
    for (const one of open) {
      const isExplained = !subjects.has(one.subject!) && isReadAgain(one)
      await observations.note(one, now(), isExplained ? now() : null)
    }
    const openIds = new Set(open.map(({ id }) => id))
    for (const [subject, { kind, chain, address, token, faults }] of listed) {
      const component = componentOf('UNEXPLAINED', chainId, subject)
      if (openIds.has(observationId(component))) continue
      await observations.note(component, now(), now() - 1)
      log.write('MONEY_UNEXPLAINED', { kind, chain, address, token, faults })
    }
  }

  const rounds = repeat({ everyMs, first: 'LATER', work: round, onTrouble, ...(scheduler && { scheduler }) })
  return {
    round,
    start: rounds.start,
    /** Does not wait for a round, which can outlast the time for a stop and only reads and records findings. */
    async stop(): Promise<void> {
      isStopped = true
      void rounds.stop()
      await turn.release().catch(onTrouble)
    },
  }
}
