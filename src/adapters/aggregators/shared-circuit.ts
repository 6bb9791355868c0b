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
   * Called only in the process that opened or closed the circuit.
   *
   * @param isOwn Whether only this process stops its requests, because it alone cannot reach the provider.
   * @param pair The circuit's two chains. Absent if the circuit covers the whole provider.
   */
  onChange: (circuit: ProviderCircuit, isOwn: boolean, pair?: ChainPair) => void
}

/**
 * @property self Name of this process, unchanged by a restart. Otherwise a process that crashes repeatedly because its
 * own network is broken would count as several that cannot reach the provider.
 */
export type NamedSharing = Sharing & { self: string }

/** Subject of a circuit: a provider, or a part of a provider with its own record. */
type Subject = { provider: string; id?: string; rule?: CircuitRule }

/**
 * Maximum age of this process's copy of the shared state, in milliseconds. Until the copy is renewed, a caller meets
 * the failure itself.
 */
const knownMs = 1_000
const [leastMs, mostMs] = [1_000, 30_000]
const writersMax = 10

/**
 * Whether this process might be the cause, because it cannot reach the provider. Any other failure is a response of the
 * provider.
 */
const isUnreachable = (error: unknown): boolean =>
  error instanceof RoutingError && (error.code === 'PROVIDER_UNREACHABLE' || error.code === 'PROVIDER_TIMEOUT')

const isRefusal = (error: unknown): boolean => error instanceof RoutingError && error.code === 'PROVIDER_UNAUTHORIZED'

/**
 * Stops requests to a provider in all processes, or in one process while only that process cannot reach it. One
 * process's failures do not show whether the provider or that process's network is down. If a second process cannot
 * reach the provider either, the circuit opens for all.
 */
export function providerCircuit(subject: Subject, { self, ...sharing }: NamedSharing) {
  const shared = sharedCircuit(subject, sharing, self)
  const onChange: Sharing['onChange'] = (circuit) => sharing.onChange(circuit, true)
  const own = sharedCircuit(subject, { ...sharing, circuits: memoryRecords(), onChange })
  return {
    ...shared,
    readOwn: own.read,
    isKnownOpen: (): boolean => shared.isKnownOpen() || own.isKnownOpen(),
    /** Like `call` of a shared circuit. A probe for all processes also serves this process. */
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

/**
 * Separates an error that the provider returned from a failure to reach it. For reachability, any response is an
 * answer.
 */
async function answered<Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer } | { error: unknown }> {
  try {
    return { answer: await ask() }
  } catch (error) {
    if (isUnreachable(error) || error instanceof ProviderUnavailable) throw error
    return { error }
  }
}

/**
 * Stops requests to a provider in all processes together. Refused credentials open the circuit immediately. Other
 * failures open it if there are many and nothing succeeds between them. A request that was made counts as an attempt,
 * and waiting does not. The request that opens the circuit fails with its own error, and the others wait. One probe at
 * a time tests whether the provider is back, and costs its execution no attempt.
 *
 * @param self Name of this process. Its own failures to reach the provider do not open the circuit alone.
 */
export function sharedCircuit(
  { provider: name, id = name, rule = wholeProvider }: Subject,
  { circuits, now, onChange }: Sharing,
  self: string | null = null,
) {
  const provider: Provider = { name, rule, record: circuitRecord(id, circuits, now), now, onChange, self }
  return {
    read: provider.record.read,
    /** Whether the circuit was open when this process last read it. */
    isKnownOpen: (): boolean => (provider.record.known()?.reason ?? null) !== null,
    /**
     * Records the failure of a request that bypassed this circuit.
     *
     * @returns The error for the caller to throw. If other requests had already opened the circuit, the caller waits as
     * they do.
     */
    async noteFailure(request: ProviderRequest, error: unknown): Promise<unknown> {
      const before = await failed(provider, request, error)
      return isOpen(before) ? circuitOpen(provider, before.probeAt, error) : error
    },
    /** Records the success of a request that bypassed this circuit. */
    noteAnswer: async (): Promise<void> => succeeded(provider, await provider.record.seen()),
    /**
     * @param isTrouble Which errors count against the provider. Any other error, except refused credentials, is an
     * answer.
     * @param ask Receives whether it is the probe.
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
        if (met === undefined) throw error // no request was made
        if (rule.heedsCredentials && isRefusal(met)) throw await refused(provider, at, met)
        if (!isTrouble(met)) await succeeded(provider, at)
        else if (isOpen(at)) throw await stillOpen(provider, at, request, met)
        else await failed(provider, request, met)
        throw error
      }
    },
    /** For calls that show only whether our credentials are accepted. */
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

/**
 * Returns the state at the start of the call: closed, or open with this call as its probe. Throws if the caller must
 * wait.
 */
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

/** Closes the circuit: the provider answered, if only with a refusal, so the noted failures are over. */
async function succeeded({ record, now, onChange }: Provider, at: ProviderCircuit): Promise<void> {
  const last = at.reason === null ? (record.known() ?? at) : at
  if (last.reason !== at.reason || (last.reason === null && last.failed.length === 0)) return
  let saved = await record.save(closed(last, now()))
  // A response that took longer than the interval between two probes also counts.
  for (let n = 0; n < writersMax && !saved && at.reason === 'FAILING'; n++) {
    const fresh = await record.read()
    if (fresh.reason !== 'FAILING' || fresh.since !== at.since) return
    saved = await record.save(closed(fresh, now()))
  }
  if (saved && at.reason !== null) onChange(saved, false)
}

/** @returns The error for the caller to throw. */
async function refused(provider: Provider, at: ProviderCircuit, error: unknown): Promise<unknown> {
  const { record, now, onChange } = provider
  if (at.reason === 'CREDENTIALS') return circuitOpen(provider, at.probeAt, error)
  // Calls that began before the refusal was stored hold the previous version, so only one of them opens the circuit.
  const first = await record.save(opened(at, 'CREDENTIALS', now()))
  if (!first) return circuitOpen(provider, (await record.read()).probeAt, error)
  onChange(first, false)
  return error
}

/**
 * Returns the error of a failed probe. If the response could not be read, stores what was unreadable as the reason why
 * the circuit is open.
 */
async function stillOpen(provider: Provider, at: ProviderCircuit, request: ProviderRequest, error: unknown) {
  const { record, now, rule } = provider
  const unreadable = unreadableOf(error)
  if (unreadable !== null) await record.save(probeUnread(at, request, unreadable, now(), rule))
  return circuitOpen(provider, at.probeAt, error)
}

/** @returns The circuit before this failure. */
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
