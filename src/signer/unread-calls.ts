import { BoundedMap } from '../domain/bounded-map'
import { RoutingError } from '../domain/error'
import { SignerUnable } from '../domain/unavailable'
import type { SigningRequest, UnreadUntil } from '../ports/signer'
import { unreadable } from './function-rule'

type Settings = {
  now: () => number
  /** Called once a minute for each kind of call, and for each other reason. */
  onUnable: (why: Error) => void
}

/** How long such a call is not sent to the signer again, in milliseconds. */
const forMs = 60_000
/** Delay before the providers are queried again, in milliseconds. */
const retryMs = 2_000
const kindsMax = 200

/**
 * Orders that a separate signer refuses although this process's own rules allow them: their releases or settings
 * differ. The deposits wait. While the signer cannot read a kind of call, other routes are taken.
 */
export function unreadCalls({ now, onUnable }: Settings) {
  const until = new BoundedMap<string, number>(kindsMax)

  const unreadUntil: UnreadUntil = ({ call }) => {
    const at = (call && until.get(kindOf(call))) ?? 0
    return at > now() ? at : null
  }

  return {
    unreadUntil,
    /**
     * Returns the error for a refusal of an allowed order, or null for any other error. Only an unreadable call holds
     * back other deposits: any other reason may concern this deposit alone.
     */
    unableAt(error: unknown, { execution: { facts } }: SigningRequest): SignerUnable | null {
      const why = error instanceof RoutingError && error.code === 'SIGNER_REFUSED' ? error.cause : null
      if (!(why instanceof Error)) return null
      const call = unreadableTexts.includes(why.message) ? facts.route!.call : null
      const subject = call ? kindOf(call) : why.message
      if ((until.get(subject) ?? 0) <= now()) {
        onUnable(new Error(call ? `${why.message}: ${subject}` : subject))
        until.set(subject, now() + forMs)
      }
      return new SignerUnable(retryMs, { cause: why })
    },
  }
}

const unreadableTexts = unreadable.map((how) => `The call ${how}`)

type Call = NonNullable<Parameters<UnreadUntil>[0]['call']>
const kindOf = ({ target, data }: Call): string => `${data.slice(0, 10)} of ${target}`.toLowerCase()
