import { notify } from '../../adapters/alchemy/notify'
import { chainKeys, chains } from '../../domain/chain/chain'
import type { Loaded } from '../process/base'
import { type Area, about, codeOf, type Finding, findingsOf } from './finding'
import type { RecordedResponses } from './recorded-responses'

const timeoutMs = 10_000

/** Checks Alchemy's webhooks, the mail server and the service's public address. */
export const outsideOf = (loaded: Loaded, responses: RecordedResponses): Area => ({
  name: 'Webhooks, mail and the public address',
  examine: async () =>
    (await Promise.all([webhooks(loaded, responses), mailServer(loaded), publicAddress(loaded)])).flat(),
})

async function webhooks({ config, secrets }: Loaded, responses: RecordedResponses): Promise<Finding[]> {
  const all = about('webhooks', 'Alchemy')
  const authToken = secrets.alchemyAuthToken
  if (!authToken) {
    const byHand = chainKeys.filter((key) => secrets.alchemySigningKeys[key].length > 0)
    return byHand.length === 0
      ? [all.good('No webhooks are configured: deposits are found by following each chain closely.')]
      : [
          all.unknown(
            `The webhooks of ${byHand.map((key) => chains[key].name).join(', ')} were created by hand.`,
            'Check in Alchemy’s dashboard that they name every deposit address, or set ALCHEMY_AUTH_TOKEN.',
          ),
        ]
  }
  return findingsOf(all, 'Check ALCHEMY_AUTH_TOKEN, and run the doctor again.', async () => {
    const notifyWebhooks = await notify({ url: config.alchemyNotifyUrl, authToken })
      .webhooks()
      .catch((error) => {
        // The SDK reports a status only in its message.
        if (/^40[13]\b/.test(String((error as Error).message))) return null
        throw error
      })
    if (!notifyWebhooks)
      return all.bad('Alchemy refuses ALCHEMY_AUTH_TOKEN.', 'Copy the token from Alchemy’s dashboard.')
    responses.keep('alchemy', 'webhooks', notifyWebhooks)
    if (!config.alchemyWebhookUrl)
      return all.bad('Alchemy has no address to send webhooks to.', 'Set PUBLIC_URL or ALCHEMY_WEBHOOK_URL.')
    return chainKeys.map((key) => {
      const { good, bad, unknown } = about('webhooks', `Alchemy, ${chains[key].name}`)
      const own = notifyWebhooks.filter(
        ({ chainId, url }) => chainId === chains[key].id && url === config.alchemyWebhookUrl,
      )
      if (own.some(({ isActive }) => isActive)) return good('Its webhook is active.')
      return own.length > 0
        ? bad('Its webhook is paused.', 'The scanner starts it again. Check in Alchemy’s dashboard why it was paused.')
        : unknown('It has no webhook to our address yet.', 'The scanner creates it with the first deposit address.')
    })
  })
}

async function mailServer({ config, secrets }: Loaded): Promise<Finding[]> {
  const line = about('mail', 'Mail server')
  const { smtpUrl } = secrets
  if (!smtpUrl)
    return config.isOutside
      ? [
          line.unknown(
            'There is none: links for invitations and new passwords must be passed on by hand.',
            'Set SMTP_URL.',
          ),
        ]
      : [line.good('There is none, and a service on this machine alone needs none.')]
  return findingsOf(line, 'Check SMTP_URL: the host, the port, the user and the password.', async () => {
    const transport = (await import('nodemailer')).createTransport(smtpUrl)
    try {
      await transport.verify()
      return line.good('It accepts our sign-in.')
    } catch (error) {
      const advice = 'Check SMTP_URL: the host, the port, the user and the password.'
      return line.bad(`It does not accept our sign-in (${codeOf(error)}).`, advice)
    } finally {
      transport.close()
    }
  })
}

async function publicAddress({ config }: Loaded): Promise<Finding[]> {
  const { publicUrl, isOutside } = config
  if (!publicUrl) return []
  const line = about('public-url', 'Public address')
  const scheme =
    isOutside && new URL(publicUrl).protocol !== 'https:'
      ? [line.bad('It is not encrypted: sessions and keys can be read in transit.', 'Set PUBLIC_URL to an https URL.')]
      : []
  const advice = 'Start the service, and check the name, the proxy and the certificate.'
  const reached = await findingsOf(line, advice, async () => {
    const signal = AbortSignal.timeout(timeoutMs)
    const { status } = await fetch(`${publicUrl}/api/health`, { signal, redirect: 'manual' })
    return status === 200
      ? line.good('The service answers there.')
      : line.unknown(`Something answers there with ${status}, but it is not a running service.`, advice)
  })
  return [...scheme, ...reached]
}
