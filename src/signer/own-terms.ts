import { type Address, sameAddress } from '../domain/chain/hex'
import { TemporarilyUnavailable } from '../domain/unavailable'
import type { LogHead, OrderSignature, RemoteSigning, Signing, SigningRequest } from '../ports/signer'
import { signerOfDigest } from '../protocols/executor/signed-order'
import { headsApartSeconds } from './signed-once'
import { type OrderRules, unsignedOrder } from './signing'
import { must, SigningRefusal } from './terms'

type Settings = OrderRules & {
  /** Told of every answer that is not for the order that was asked for. */
  onFalseAnswer: (why: Error) => void
  /** Whose signatures are taken; null while nobody has said so, and then the contracts alone decide. */
  signers?: readonly Address[] | null | undefined
}

const askAgainMs = 10_000

/**
 * Asks a signer that is a process of its own, and believes nothing of its answer but the signature: whoever asks makes
 * the order from its own record, so that a thief of the signer cannot have another one sent. An answer for another
 * order counts as none, and the execution waits for the signer. After one answer whose log does not go on from the last
 * known one, none counts until this process is started again: a log that is another one soon grows longer than it was.
 */
export function ownTerms(remote: RemoteSigning, { onFalseAnswer, signers = null, ...rules }: Settings): Signing {
  let seen: LogHead | null = null
  let otherLog: SigningRefusal | null = null

  function assureGoesOn(before: LogHead | null, now?: LogHead): void {
    if (!goesOn(before, now))
      otherLog ??= new SigningRefusal('The signing log of the signer is shorter than it was, or another one')
    if (otherLog) throw otherLog
    if (now && now.count > (seen?.count ?? -1)) seen = now
  }

  return {
    verifyIntent: remote.verifyIntent,
    async sign(request) {
      // Answers overtake each other, so each is compared with what was known when it was asked for.
      const before = seen
      try {
        if (otherLog) throw otherLog
        const answer = await remote.sign(request)
        assureGoesOn(before, answer.log)
        const { terms, gasLimit, id } = unsignedOrder({ ...request, deadline: answer.deadline }, rules)
        await assureFor(answer, id, request, signers)
        return { ...terms, id, signature: answer.signature, gasLimit }
      } catch (cause) {
        if (!(cause instanceof SigningRefusal)) throw cause
        onFalseAnswer(cause)
        throw new TemporarilyUnavailable('the signer', askAgainMs, 'SIGNER', { cause })
      }
    },
  }
}

/** Whether a log has what it had, as far as its head can show. */
const goesOn = (before: LogHead | null, now: LogHead | undefined): boolean =>
  before === null || (now !== undefined && (now.count > before.count || now.last === before.last))

async function assureFor(
  answer: OrderSignature,
  id: OrderSignature['id'],
  { deadline }: SigningRequest,
  signers: readonly Address[] | null,
): Promise<void> {
  must(answer.deadline <= deadline + headsApartSeconds, 'The signer answered with a deadline that nobody asked for')
  must(answer.id === id, 'The signer answered with another order than the one asked for, or its settings differ')
  const by = await signerOfDigest(answer)
  must(by !== null, 'The signer answered with a signature that no contract accepts')
  const isKnown = signers === null || signers.some((each) => sameAddress(each, by!))
  must(isKnown, 'The signer answered with a signature by a key that SIGNER_ADDRESSES does not name')
}
