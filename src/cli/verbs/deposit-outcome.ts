import { wallClock } from '../../adapters/clock'
import { type ChainKey, chains } from '../../domain/chain/chain'
import { waitUntilMined } from '../demo/faucet'
import { quotaOrganization } from '../demo/seed-intent'
import { sendForOutcome } from '../demo/send-for-outcome'
import { clientKey } from '../installation/client-key'
import { databaseUrl, withStore } from '../installation/database'
import { readDevnetFile } from '../installation/devnet-file'
import { sealsWith } from '../installation/seals'
import { Failure } from '../terminal/failure'
import { amountText, fundsText } from '../terminal/funds-text'
import { printerSince } from '../terminal/progress'

type OutcomeOptions = { user: string; organization?: string; outcome: string; from?: ChainKey; timeout: number }

/** Sends a deposit that reaches a status by its real cause, and shows its result. */
export async function depositOutcome({ user, organization, outcome, from = 'base', timeout }: OutcomeOptions) {
  const file = readDevnetFile()
  const { apiUrl, controlUrl } = file
  const print = printerSince(wallClock())
  await withStore(databaseUrl({}), async (store) => {
    const isQuota = outcome === 'QUOTA_EXCEEDED'
    if (isQuota && (organization ?? quotaOrganization) !== quotaOrganization)
      throw new Failure(
        `QUOTA_EXCEEDED needs ${quotaOrganization}, the organization whose quota is 0: leave out --organization.`,
      )
    const client = isQuota
      ? { key: file.keys.quota, organization: quotaOrganization }
      : await clientKey(store, file.keys, organization)
    const recipient = `${user} of ${client.organization}`
    const { ended, detail, sent, hash } = await sendForOutcome({
      apiUrl,
      controlUrl,
      keys: { client: client.key, quota: file.keys.quota },
      store,
      seals: sealsWith(file.intentMacKey),
      userId: user,
      from,
      outcome,
      timeoutMs: timeout * 1_000,
      checkSent: (hash) => waitUntilMined(file.chains[chains[from].id].rpcUrl, hash),
      onSent: (hash, { cause }) => print(`sent on ${from} to ${recipient}: ${hash}. ${cause}.`),
      onStatus: (status, at, note) => print(`${status}${note ? `: ${note}` : ''}`, at),
      onWait: (message) => print(message),
      onFound: (id) => print(`found: execution ${id}`),
    })
    const how = sent.how.replaceAll('{devnet_url}', controlUrl).replaceAll(':chainKey', from)
    const reason = ended.lastErrorCode ? `${ended.lastErrorCode}: ${ended.lastErrorMessage}` : 'none'
    console.log(`
Execution        ${ended.id}
Organization     ${client.organization}
Status           ${ended.status}
Error            ${reason}
Retries          ${ended.retryCount}
Deposit          ${hash}
Amount in        ${amountText(ended.amountIn, detail.fromTokenDecimals, detail.fromTokenSymbol)}
Money            ${fundsText(detail)}
Next             ${detail.next.actor} ${detail.next.action}: ${detail.next.message}
Caused by        ${sent.cause}${how ? `\n                 ${how}` : ''}`)
  })
}
