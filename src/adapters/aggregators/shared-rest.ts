import { RoutingError } from '../../domain/error'
import {
  type Asked,
  begun,
  ended,
  failedWith,
  type ProviderRest,
  probeAtOf,
  probing,
  unasked,
} from '../../domain/execution/provider-rest'
import { ProviderResting } from '../../ports/aggregator'
import type { Records } from '../../ports/records'

export type Sharing = {
  rests: Records<ProviderRest>
  now: () => number
  /** Called in the one process that began or ended a rest. */
  onChange: (rest: ProviderRest) => void
}

/** How old this process's copy of the shared state may be. A caller in that time meets the failure itself. */
const knownMs = 1_000
const [leastMs, mostMs] = [1_000, 30_000]
const writersMax = 10

const isRefusal = (error: unknown): boolean => error instanceof RoutingError && error.code === 'PROVIDER_UNAUTHORIZED'

/**
 * A provider that all processes stop asking together. Refused credentials begin a rest at once; other failures begin
 * one when they are many and nothing succeeds between them. A request that was made counts as an attempt and waiting
 * does not: the request that begins a rest fails with its own error, and the others wait. One probe at a time tests
 * whether the provider is back, and costs its execution no attempt.
 */
export function sharedRest(id: string, { rests, now, onChange }: Sharing) {
  const provider: Provider = { id, record: restRecord(id, rests, now), now, onChange }
  return {
    read: provider.record.read,
    /**
     * @param isTrouble which errors count against the provider. Any other error, except refused credentials, is an
     * answer.
     */
    async call<Answer>(asked: Asked, isTrouble: (error: unknown) => boolean, ask: () => Promise<Answer>) {
      const at = await entered(provider, asked, isResting)
      try {
        const answer = await ask()
        await wentWell(provider, at)
        return answer
      } catch (error) {
        if (error instanceof ProviderResting) throw error // it was not asked
        if (isRefusal(error)) throw await refused(provider, at, error)
        if (!isTrouble(error)) await wentWell(provider, at)
        else if (isResting(at)) throw resting(provider, at, error)
        else await failed(provider, asked)
        throw error
      }
    },
    /** For calls that tell only whether our credentials are accepted. */
    async callApart<Answer>(asked: Asked, ask: () => Promise<Answer>): Promise<Answer> {
      const at = await entered(provider, asked, isLockedOut)
      try {
        const answer = await ask()
        if (isLockedOut(at)) await wentWell(provider, at)
        return answer
      } catch (error) {
        throw isRefusal(error) ? await refused(provider, at, error) : error
      }
    },
  }
}

type Provider = Pick<Sharing, 'now' | 'onChange'> & { id: string; record: ReturnType<typeof restRecord> }

const isResting = ({ reason }: ProviderRest): boolean => reason !== null
const isLockedOut = ({ reason }: ProviderRest): boolean => reason === 'CREDENTIALS'

/** The shared record, and this process's copy of it. */
function restRecord(id: string, rests: Sharing['rests'], now: () => number) {
  let known: { rest: ProviderRest; at: number } | null = null
  function know(rest: ProviderRest): ProviderRest {
    known = { rest, at: now() }
    return rest
  }
  const read = async (): Promise<ProviderRest> => know((await rests.load(id)) ?? unasked(id))
  return {
    read,
    known: (): ProviderRest | null => known?.rest ?? null,
    seen: async (): Promise<ProviderRest> => (known && known.at + knownMs > now() ? known.rest : read()),
    async save(rest: ProviderRest): Promise<ProviderRest | null> {
      const saved = await rests.save(rest)
      if (saved) know(saved)
      else known = null
      return saved
    },
  }
}

const resting = ({ id, now }: Provider, { probeAt }: ProviderRest, cause?: unknown) =>
  new ProviderResting(id, Math.min(Math.max(probeAt - now(), leastMs), mostMs), { cause })

/** The state as the call begins, either with nothing to wait for or with the right to probe. */
async function entered(
  provider: Provider,
  asked: Asked,
  isKept: (rest: ProviderRest) => boolean,
): Promise<ProviderRest> {
  const { record, now } = provider
  const rest = await record.seen()
  if (!isKept(rest)) return rest
  const fresh = rest.probeAt <= now() ? await record.read() : rest
  if (!isKept(fresh)) return fresh
  if (probeAtOf(fresh, asked) > now()) throw resting(provider, fresh)
  const mine = await record.save(probing(fresh, asked, now()))
  if (!mine) throw resting(provider, fresh)
  return mine
}

/** The provider answered, if only with a refusal, so the failures that were noted are over. */
async function wentWell({ record, now, onChange }: Provider, at: ProviderRest): Promise<void> {
  const last = at.reason === null ? (record.known() ?? at) : at
  if (last.reason !== at.reason || (last.reason === null && last.failed.length === 0)) return
  const saved = await record.save(ended(last, now()))
  if (saved && at.reason !== null) onChange(saved)
}

/** @returns the error for the caller to throw. */
async function refused(provider: Provider, at: ProviderRest, error: unknown): Promise<unknown> {
  const { record, now, onChange } = provider
  if (at.reason === 'CREDENTIALS') return resting(provider, at, error)
  // Calls that began before the refusal was known hold the version of that time, so only one of them begins the rest.
  const first = await record.save(begun(at, 'CREDENTIALS', now()))
  if (!first) return resting(provider, await record.read(), error)
  onChange(first)
  return error
}

async function failed({ record, now, onChange }: Provider, asked: Asked): Promise<void> {
  for (let n = 0; n < writersMax; n++) {
    const rest = await record.read()
    if (rest.reason !== null) return
    const saved = await record.save(failedWith(rest, asked, now()))
    if (!saved) continue
    if (saved.reason !== null) onChange(saved)
    return
  }
}
