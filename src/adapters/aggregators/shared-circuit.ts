import { RoutingError } from '../../domain/error'
import {
  askAgainAt,
  type ChainPair,
  type CircuitRule,
  closed,
  closedFromStart,
  failedWith,
  opened,
  type ProviderCircuit,
  type ProviderRequest,
  probeAtOf,
  probeUnread,
  probing,
  wholeProvider,
} from '../../domain/execution/provider-circuit'
import { ProviderUnavailable, unreadableOf } from '../../domain/unavailable'
import type { Records } from '../../ports/records'
import { memoryRecords } from '../memory-records'

export type Sharing = {
  circuits: Records<ProviderCircuit>
  now: () => number
  /**
   * Called in the one process that opened or closed the circuit.
   *
   * @param isOwn whether only this process stops asking, because it alone cannot reach the provider.
   * @param pair the two chains that the circuit stands for; absent where it stands for the whole provider.
   */
  onChange: (circuit: ProviderCircuit, isOwn: boolean, pair?: ChainPair) => void
}

/**
 * @property self names this process, by the same name when it is started again: one that crashes over and over because
 * its own network is broken would otherwise count as several that cannot reach the provider.
 */
export type NamedSharing = Sharing & { self: string }

/** What a circuit stands for: a provider, or a part of one that has a record of its own. */
type Subject = { provider: string; id?: string; rule?: CircuitRule }

/** How old this process's copy of the shared state may be. A caller in that time meets the failure itself. */
const knownMs = 1_000
const [leastMs, mostMs] = [1_000, 30_000]
const writersMax = 10

/** Whether it may be this process that cannot reach the provider. Any other failure is an answer of the provider. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof RoutingError && (error.code === 'PROVIDER_UNREACHABLE' || error.code === 'PROVIDER_TIMEOUT')

const isRefusal = (error: unknown): boolean => error instanceof RoutingError && error.code === 'PROVIDER_UNAUTHORIZED'

/**
 * A provider that all processes stop asking together, and that one process alone stops asking while only that process
 * cannot reach it: nobody can tell by one process's failures whether the provider is away or that process's own network
 * is. A second process that cannot reach it either opens the circuit for all.
 */
export function providerCircuit(subject: Subject, { self, ...sharing }: NamedSharing) {
  const shared = sharedCircuit(subject, sharing, self)
  const onChange: Sharing['onChange'] = (circuit) => sharing.onChange(circuit, true)
  const own = sharedCircuit(subject, { ...sharing, circuits: memoryRecords(), onChange })
  return {
    ...shared,
    readOwn: own.read,
    isKnownOpen: (): boolean => shared.isKnownOpen() || own.isKnownOpen(),
    /** As of a shared circuit. A probe for all processes is also one for this process. */
    call: <Answer>(
      request: ProviderRequest,
      isTrouble: (error: unknown) => boolean,
      ask: (isProbe: boolean) => Promise<Answer>,
    ) =>
      shared.call(request, isTrouble, async (isProbe) => {
        if (isProbe) return ask(true)
        const reached = await own.call(request, isUnreachable, (isOwnProbe) => answered(() => ask(isOwnProbe)))
        if ('error' in reached) throw reached.error
        return reached.answer
      }),
  }
}

/** An error by which the provider answered is an answer to whoever only asks whether it can be reached. */
async function answered<Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer } | { error: unknown }> {
  try {
    return { answer: await ask() }
  } catch (error) {
    if (isUnreachable(error) || error instanceof ProviderUnavailable) throw error
    return { error }
  }
}

/**
 * A provider that all processes stop asking together. Refused credentials open the circuit at once; other failures do
 * so when they are many and nothing succeeds between them. A request that was made counts as an attempt and waiting
 * does not: the request that opens the circuit fails with its own error, and the others wait. One probe at a time tests
 * whether the provider is back, and costs its execution no attempt.
 *
 * @param self names this process, whose failures to reach the provider do not open the circuit alone.
 */
export function sharedCircuit(
  { provider: name, id = name, rule = wholeProvider }: Subject,
  { circuits, now, onChange }: Sharing,
  self: string | null = null,
) {
  const provider: Provider = { name, rule, record: circuitRecord(id, circuits, now), now, onChange, self }
  return {
    read: provider.record.read,
    /** Whether it is open as this process last saw it. */
    isKnownOpen: (): boolean => (provider.record.known()?.reason ?? null) !== null,
    /**
     * Records the failure of a request that was made without asking this circuit.
     *
     * @returns the error for the caller to throw: when others had opened the circuit, the caller waits as they do.
     */
    async noteFailure(request: ProviderRequest, error: unknown): Promise<unknown> {
      const before = await failed(provider, request, error)
      return isOpen(before) ? circuitOpen(provider, before.probeAt, error) : error
    },
    /** Records that a request was answered that was made without asking this circuit. */
    noteAnswer: async (): Promise<void> => succeeded(provider, await provider.record.seen()),
    /**
     * @param isTrouble which errors count against the provider. Any other error, except refused credentials, is an
     * answer.
     * @param ask is told whether it probes.
     */
    async call<Answer>(
      request: ProviderRequest,
      isTrouble: (error: unknown) => boolean,
      ask: (isProbe: boolean) => Promise<Answer>,
    ) {
      const at = await admitted(provider, request, isOpen)
      try {
        const answer = await ask(isOpen(at))
        await succeeded(provider, at)
        return answer
      } catch (error) {
        const met = error instanceof ProviderUnavailable ? error.cause : error
        if (met === undefined) throw error // it was not asked
        if (rule.heedsCredentials && isRefusal(met)) throw await refused(provider, at, met)
        if (!isTrouble(met)) await succeeded(provider, at)
        else if (isOpen(at)) throw await stillOpen(provider, at, request, met)
        else await failed(provider, request, met)
        throw error
      }
    },
    /** For calls that tell only whether our credentials are accepted. */
    async callApart<Answer>(request: ProviderRequest, ask: () => Promise<Answer>): Promise<Answer> {
      const at = await admitted(provider, request, isLockedOut)
      try {
        const answer = await ask()
        if (isLockedOut(at)) await succeeded(provider, at)
        return answer
      } catch (error) {
        throw isRefusal(error) ? await refused(provider, at, error) : error
      }
    },
  }
}

type Provider = Pick<Sharing, 'now' | 'onChange'> & {
  name: string
  self: string | null
  rule: CircuitRule
  record: ReturnType<typeof circuitRecord>
}

const isOpen = ({ reason }: ProviderCircuit): boolean => reason !== null
const isLockedOut = ({ reason }: ProviderCircuit): boolean => reason === 'CREDENTIALS'

/** The shared record, and this process's copy of it. */
function circuitRecord(id: string, circuits: Sharing['circuits'], now: () => number) {
  let known: { circuit: ProviderCircuit; at: number } | null = null
  function know(circuit: ProviderCircuit): ProviderCircuit {
    known = { circuit, at: now() }
    return circuit
  }
  const read = async (): Promise<ProviderCircuit> => know((await circuits.load(id)) ?? closedFromStart(id))
  return {
    read,
    known: (): ProviderCircuit | null => known?.circuit ?? null,
    seen: async (): Promise<ProviderCircuit> => (known && known.at + knownMs > now() ? known.circuit : read()),
    async save(circuit: ProviderCircuit): Promise<ProviderCircuit | null> {
      const saved = await circuits.save(circuit)
      if (saved) know(saved)
      else known = null
      return saved
    },
  }
}

const circuitOpen = ({ name, now }: Provider, probeAt: number, cause?: unknown) =>
  new ProviderUnavailable(name, Math.min(Math.max(probeAt - now(), leastMs), mostMs), { cause })

/** The state as the call begins, either with nothing to wait for or with the right to probe. */
async function admitted(
  provider: Provider,
  request: ProviderRequest,
  isRefusedBy: (circuit: ProviderCircuit) => boolean,
): Promise<ProviderCircuit> {
  const { record, rule, now } = provider
  const circuit = await record.seen()
  if (!isRefusedBy(circuit)) return circuit
  const fresh = circuit.probeAt <= now() ? await record.read() : circuit
  if (!isRefusedBy(fresh)) return fresh
  const probeAt = probeAtOf(fresh, request, rule)
  if (probeAt > now()) throw circuitOpen(provider, askAgainAt(fresh, request, now(), rule))
  const mine = await record.save(probing(fresh, request, now(), rule))
  if (!mine) throw circuitOpen(provider, probeAt)
  return mine
}

/** The provider answered, if only with a refusal, so the failures that were noted are over. */
async function succeeded({ record, now, onChange }: Provider, at: ProviderCircuit): Promise<void> {
  const last = at.reason === null ? (record.known() ?? at) : at
  if (last.reason !== at.reason || (last.reason === null && last.failed.length === 0)) return
  let saved = await record.save(closed(last, now()))
  // An answer that took longer than the pause between two probes is an answer too.
  for (let n = 0; n < writersMax && !saved && at.reason === 'FAILING'; n++) {
    const fresh = await record.read()
    if (fresh.reason !== 'FAILING' || fresh.since !== at.since) return
    saved = await record.save(closed(fresh, now()))
  }
  if (saved && at.reason !== null) onChange(saved, false)
}

/** @returns the error for the caller to throw. */
async function refused(provider: Provider, at: ProviderCircuit, error: unknown): Promise<unknown> {
  const { record, now, onChange } = provider
  if (at.reason === 'CREDENTIALS') return circuitOpen(provider, at.probeAt, error)
  // Calls that began before the refusal was known hold the version of that time, so only one of them opens the circuit.
  const first = await record.save(opened(at, 'CREDENTIALS', now()))
  if (!first) return circuitOpen(provider, (await record.read()).probeAt, error)
  onChange(first, false)
  return error
}

/** The error of a probe that failed. What of the answer could not be read is kept for whoever asks why it is open. */
async function stillOpen(provider: Provider, at: ProviderCircuit, request: ProviderRequest, error: unknown) {
  const { record, now, rule } = provider
  const unreadable = unreadableOf(error)
  if (unreadable !== null) await record.save(probeUnread(at, request, unreadable, now(), rule))
  return circuitOpen(provider, at.probeAt, error)
}

/** @returns the circuit as it was before. */
async function failed(
  { record, rule, now, onChange, self }: Provider,
  request: ProviderRequest,
  error: unknown,
): Promise<ProviderCircuit> {
  const by = isUnreachable(error) ? self : null
  const unreadable = unreadableOf(error)
  let circuit = await record.read()
  for (let n = 0; n < writersMax && circuit.reason === null; n++) {
    const saved = await record.save(failedWith(circuit, request, now(), { rule, by, unreadable }))
    if (saved && saved.reason !== null) onChange(saved, false)
    if (saved) break
    circuit = await record.read()
  }
  return circuit
}
