import type { IdempotentRequests } from '../../ports/limits'
import type { Vault } from '../../ports/webhooks'

const purposeOf = (id: string): string => `answer to ${id}`

/** Keeps responses with a secret encrypted. A response that cannot be decrypted is not replayed. */
export const sealedAnswers = (requests: IdempotentRequests, vault: Vault): IdempotentRequests => ({
  ...requests,
  async begin(id, fingerprint, at) {
    const begun = await requests.begin(id, fingerprint, at)
    if (begun.kind !== 'KEPT') return begun
    const body = vault.open(begun.answer.body, purposeOf(id))
    return body === null ? { kind: 'OTHER' } : { kind: 'KEPT', answer: { ...begun.answer, body } }
  },
  keep: (id, turn, answer) => requests.keep(id, turn, { ...answer, body: vault.seal(answer.body, purposeOf(id)) }),
})
