import { type ChainKey, chains } from '../../domain/chain'
import { clientKey } from '../client-key'
import { databaseUrl, withStore } from '../database'
import { readDevnetFile } from '../devnet-file'
import { Failure } from '../failure'
import { assureMined } from '../faucet'
import { forcedDeposit } from '../forced-deposit'
import { saidSince } from '../progress'
import { sealsUnder } from '../seals-under'
import { quotaOrganization } from '../seed-intent'
import { amountText, moneyText } from '../whereabouts'

export type OutcomeOptions = { user: string; organization?: string; outcome: string; from?: ChainKey; timeout: number }

/** Shows an integrator what a status looks like, by what really causes it. */
export async function depositOutcome({ user, organization, outcome, from = 'base', timeout }: OutcomeOptions) {
  const file = readDevnetFile()
  const { apiUrl, controlUrl } = file
  const say = saidSince(Date.now())
  await withStore(databaseUrl({}), async (store) => {
    const isQuota = outcome === 'QUOTA_EXCEEDED'
    if (isQuota && (organization ?? quotaOrganization) !== quotaOrganization)
      throw new Failure(`QUOTA_EXCEEDED is shown in ${quotaOrganization}, whose quota is 0: leave --organization out.`)
    const client = isQuota
      ? { key: file.keys.quota, organization: quotaOrganization }
      : await clientKey(store, file.keys, organization)
    const whose = `${user} of ${client.organization}`
    const { ended, detail, sent, hash } = await forcedDeposit({
      apiUrl,
      controlUrl,
      keys: { client: client.key, quota: file.keys.quota },
      store,
      seals: sealsUnder(file.intentMacKey),
      userId: user,
      from,
      outcome,
      timeoutMs: timeout * 1_000,
      assureSent: (hash) => assureMined(file.chains[chains[from].id].rpcUrl, hash),
      onSent: (hash, { cause }) => say(`sent on ${from} to ${whose}: ${hash}. ${cause}.`),
      onStatus: (status, at, note) => say(`${status}${note ? `: ${note}` : ''}`, at),
      onWait: (said) => say(said),
      onFound: (id) => say(`found: execution ${id}`),
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
Money            ${moneyText(detail)}
Next             ${detail.next.actor} ${detail.next.action}: ${detail.next.message}
Caused by        ${sent.cause}${how ? `\n                 ${how}` : ''}`)
  })
}
