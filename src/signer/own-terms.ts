import { type Address, sameAddress } from '../domain/chain/hex'
import { rewrite } from '../domain/concurrency'
import { type LogHead, type SignerLogState, signerLogId } from '../domain/signer-log'
import { TemporarilyUnavailable } from '../domain/unavailable'
import type { Records } from '../ports/records'
import type { OrderSignature, RemoteSigning, Signing, SigningRequest } from '../ports/signer'
import { signerOfDigest } from '../protocols/executor/signed-order'
import { headsApartSeconds } from './signed-once'
import { type OrderRules, unsignedOrder } from './signing'
import { must, SigningRefusal } from './terms'
import { unreadCalls } from './unread-calls'

type Settings = OrderRules & {
  /** The stored state of the signer's log. */
  storedLogs: Records<SignerLogState>
  /** Called for every response that is for a different order than requested. */
  onFalseAnswer: (why: Error) => void
  /** Called for each response whose log does not continue the stored one. */
  onOtherLog?: (heads: { known: number; heard: number }) => void
  now: () => number
  /** Called for each refusal of an order that this process's own rules allow. */
  onUnable: (why: Error) => void
  /** The accepted signing addresses. If null, none were configured, and the contracts alone decide. */
  signers?: readonly Address[] | null | undefined
}

const retryMs = 10_000

/**
 * Requests signatures from a separate signer process and trusts nothing else in its response. The worker builds the
 * order from its own record, so a compromised signer cannot substitute another. A response for another order counts as
 * none, and the execution waits for the signer. If one response shows a log that does not continue the stored one, all
 * later responses are rejected until an operator accepts the log. Length alone would not show it later, because a
 * replaced log soon grows longer than the old one.
 */
export function ownTerms(remote: RemoteSigning, settings: Settings): Signing {
  const { storedLogs, onFalseAnswer, onOtherLog, signers = null, ...rules } = settings
  const { unreadUntil, unableAt } = unreadCalls(settings)

  /** @param before The stored state before the request: responses overtake each other. */
  async function assureGoesOn(before: SignerLogState | null, now: LogHead | undefined): Promise<void> {
    const isOther = !goesOn(before, now)
    if (isOther) onOtherLog?.({ known: before?.count ?? 0, heard: now?.count ?? 0 })
    const logHead = now ?? noHead
    const signerLogState = await rewrite(storedLogs, signerLogId, (stored) => {
      const was = stored ?? { id: signerLogId, version: 0, other: null, ...noHead }
      if (was.other) return null
      if (isOther) return { ...was, other: logHead }
      return logHead.count > was.count ? { ...was, ...logHead } : null
    })
    assureContinued(signerLogState)
  }

  /** Whether our own rules allow the order. An order that they refuse as well ends the execution. */
  function isAllowed(request: SigningRequest): boolean {
    try {
      unsignedOrder(request, rules)
      return true
    } catch {
      return false
    }
  }

  return {
    isSeparate: true,
    unreadUntil,
    verifyIntent: remote.verifyIntent,
    async sign(request) {
      try {
        const before = await storedLogs.load(signerLogId)
        assureContinued(before)
        const answer = await remote.sign(request).catch((refusal) => {
          throw (isAllowed(request) && unableAt(refusal, request)) || refusal
        })
        await assureGoesOn(before, answer.log)
        const { terms, gasLimit, id } = unsignedOrder({ ...request, deadline: answer.deadline }, rules)
        await assureFor(answer, id, request, signers)
        return { ...terms, id, signature: answer.signature, gasLimit }
      } catch (cause) {
        if (!(cause instanceof SigningRefusal)) throw cause
        onFalseAnswer(cause)
        throw new TemporarilyUnavailable('the signer', retryMs, 'SIGNER', { cause })
      }
    },
  }
}

const noHead: LogHead = { count: 0, last: '' }

function assureContinued(signerLogState: SignerLogState | null): void {
  if (signerLogState?.other)
    throw new SigningRefusal('The signing log of the signer is shorter than before or was replaced')
}

/** Whether a log still contains its earlier entries, judged by its head. */
const goesOn = (before: LogHead | null, now: LogHead | undefined): boolean =>
  before === null || (now !== undefined && (now.count > before.count || now.last === before.last))

async function assureFor(
  answer: OrderSignature,
  id: OrderSignature['id'],
  { deadline }: SigningRequest,
  signers: readonly Address[] | null,
): Promise<void> {
  must(answer.deadline <= deadline + headsApartSeconds, 'The signer returned a deadline that was not requested')
  must(answer.id === id, 'The signer returned another order than the requested one, or its settings differ')
  const by = await signerOfDigest(answer)
  must(by !== null, 'The signer returned a signature that no contract accepts')
  const isAccepted = signers === null || signers.some((each) => sameAddress(each, by!))
  must(isAccepted, 'The signer returned a signature by a key that SIGNER_ADDRESSES does not name')
}
