import { TimeoutStrategy, timeout } from 'cockatiel'
import { LetterNotTaken } from '../../domain/tenant/letter-not-taken'
import type { SendLetter } from '../../ports/identity'

/** No server takes longer for a letter, unless something is wrong with it. The library's own bounds are minutes. */
const letterMs = 20_000
const waits = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 }

/**
 * Sends letters by SMTP, each within a bound: a server that takes connections and says nothing holds nobody up.
 *
 * @param url `smtp://user:password@host:port`, as nodemailer reads it.
 */
export function mail(url: string, from: string, mostMs = letterMs): NonNullable<SendLetter> {
  const loading = async () => (await import('nodemailer')).createTransport({ url, ...waits })
  const bound = timeout(mostMs, TimeoutStrategy.Aggressive)
  let transport: ReturnType<typeof loading> | null = null
  return async ({ to, subject, text }) => {
    transport ??= loading()
    const ready = await transport
    await bound.execute(() =>
      ready.sendMail({ from, to, subject, text }).catch((error) => {
        throw notTaken(error) ?? error
      }),
    )
  }
}

/** What the server answered, or that it was never reached; null where it may have taken the letter all the same. */
function notTaken(error: { code?: string; command?: string; responseCode?: number }): LetterNotTaken | null {
  const { code = '', command, responseCode = 0 } = error
  const isAnswered = responseCode >= 400
  if (!isAnswered && command !== 'CONN' && !['EDNS', 'ECONNECTION'].includes(code)) return null
  return new LetterNotTaken(responseCode >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(code), { cause: error })
}
