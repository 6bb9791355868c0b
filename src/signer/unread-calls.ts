import { BoundedMap } from '../domain/bounded-map'
import { RoutingError } from '../domain/error'
import { SignerUnable } from '../domain/unavailable'
import type { SigningRequest, UnreadUntil } from '../ports/signer'
import { unreadable } from './function-rule'

type Settings = {
  now: () => number
  /** Called once for each kind of call, until the signer is asked about it again. */
  onUnread: (why: Error) => void
}

/** How long such a call is not sent to the signer again, in milliseconds. */
const forMs = 60_000
/** Delay before the providers are queried again, in milliseconds. */
const retryMs = 2_000
const kindsMax = 200

/**
 * The kinds of calls that a separate signer could not read although this process can: their releases or settings
 * differ. Until the signer can read them, other routes are taken.
 */
export function unreadCalls({ now, onUnread }: Settings) {
  const until = new BoundedMap<string, number>(kindsMax)

  const unreadUntil: UnreadUntil = ({ call }) => {
    const at = (call && until.get(kindOf(call))) ?? 0
    return at > now() ? at : null
  }

  return {
    unreadUntil,
    /** Returns the error for a refusal that an update of the signer ends, or null for any other error. */
    unableAt(error: unknown, { execution: { facts } }: SigningRequest): SignerUnable | null {
      const why = error instanceof RoutingError && error.code === 'SIGNER_REFUSED' ? error.cause : null
      const { call } = facts.route!
      if (!(why instanceof Error) || call === null || !unreadableTexts.includes(why.message)) return null
      if (unreadUntil({ call }) === null) onUnread(new Error(`${why.message}: ${kindOf(call)}`))
      until.set(kindOf(call), now() + forMs)
      return new SignerUnable(retryMs, { cause: why })
    },
  }
}

const unreadableTexts = unreadable.map((how) => `The call ${how}`)

type Call = NonNullable<Parameters<UnreadUntil>[0]['call']>
const kindOf = ({ target, data }: Call): string => `${data.slice(0, 10)} of ${target}`.toLowerCase()
