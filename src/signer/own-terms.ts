import { TemporarilyUnavailable } from '../domain/unavailable'
import type { OrderSignature, RemoteSigning, Signing, SigningRequest } from '../ports/signer'
import { signerOfDigest } from '../protocols/executor/signed-order'
import { headsApartSeconds } from './signed-once'
import { type OrderRules, unsignedOrder } from './signing'
import { must, SigningRefusal } from './terms'

type Settings = OrderRules & {
  /** Told of every answer that is not for the order that was asked for. */
  onFalseAnswer: (why: Error) => void
}

const askAgainMs = 10_000

/**
 * Asks a signer that is a process of its own, and believes nothing of its answer but the signature: whoever asks makes
 * the order from its own record, so that a thief of the signer cannot have another one sent. An answer for another
 * order counts as none, and the execution waits for the signer.
 */
export function ownTerms(remote: RemoteSigning, { onFalseAnswer, ...rules }: Settings): Signing {
  return {
    verifyIntent: remote.verifyIntent,
    async sign(request) {
      const answer = await remote.sign(request)
      try {
        const { terms, gasLimit, id } = unsignedOrder({ ...request, deadline: answer.deadline }, rules)
        await assureFor(answer, id, request)
        return { ...terms, id, signature: answer.signature, gasLimit }
      } catch (cause) {
        if (!(cause instanceof SigningRefusal)) throw cause
        onFalseAnswer(cause)
        throw new TemporarilyUnavailable('the signer', askAgainMs, 'SIGNER', { cause })
      }
    },
  }
}

async function assureFor(answer: OrderSignature, id: OrderSignature['id'], { deadline }: SigningRequest) {
  must(answer.deadline <= deadline + headsApartSeconds, 'The signer answered with a deadline that nobody asked for')
  must(answer.id === id, 'The signer answered with another order than the one asked for, or its settings differ')
  must((await signerOfDigest(answer)) !== null, 'The signer answered with a signature that no contract accepts')
}
