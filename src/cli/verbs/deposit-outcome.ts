import type { ChainKey } from '../../domain/chain'
import { databaseUrl, withStore } from '../database'
import { readDevnetFile } from '../devnet-file'
import { forcedDeposit } from '../forced-deposit'

export type OutcomeOptions = { user: string; outcome: string; from?: ChainKey; timeout: number }

/** Shows an integrator what a status looks like, by what really causes it. */
export async function depositOutcome({ user, outcome, from = 'base', timeout }: OutcomeOptions): Promise<void> {
  const { apiUrl, controlUrl, keys } = readDevnetFile()
  const startedAt = Date.now()
  const say = (line: string, at = Date.now()) =>
    console.log(`${((at - startedAt) / 1000).toFixed(2).padStart(6)} s  ${line}`)
  await withStore(databaseUrl({}), async (store) => {
    const { ended, sent, hash } = await forcedDeposit({
      apiUrl,
      controlUrl,
      keys,
      store,
      userId: user,
      from,
      outcome,
      timeoutMs: timeout * 1_000,
      onSent: (hash, { cause }) => say(`sent on ${from}: ${hash}. ${cause}.`),
      onStatus: (status, at, note) => say(`${status}${note ? `: ${note}` : ''}`, at),
    })
    const reason = ended.lastErrorCode ? `${ended.lastErrorCode}: ${ended.lastErrorMessage}` : 'none'
    console.log(`
Execution        ${ended.id}
Status           ${ended.status}
Error            ${reason}
Retries          ${ended.retryCount}
Deposit          ${hash}
Caused by        ${sent.cause}${sent.how ? `\n                 ${sent.how}` : ''}`)
  })
}
