import { TimeoutStrategy, timeout } from 'cockatiel'
import { EmailRejected } from '../../domain/tenant/email-rejected'
import type { SendEmail } from '../../ports/people'

/**
 * Time limits in milliseconds. A working server sends an e-mail within 20 seconds. The library's own limits are
 * minutes.
 */
const letterMs = 20_000
const waits = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 }

/**
 * Sends e-mails by SMTP, each within a time limit, so a server that accepts connections and stays silent blocks no
 * caller.
 *
 * @param url `smtp://user:password@host:port`, as nodemailer reads it.
 */
export function mail(url: string, from: string, mostMs = letterMs): NonNullable<SendEmail> {
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

/**
 * Returns the server's refusal, or that the server was never reached. Null if it might have accepted the e-mail anyway.
 */
function notTaken(error: { code?: string; command?: string; responseCode?: number }): EmailRejected | null {
  const { code = '', command, responseCode = 0 } = error
  const isAnswered = responseCode >= 400
  if (!isAnswered && command !== 'CONN' && !['EDNS', 'ECONNECTION'].includes(code)) return null
  return new EmailRejected(responseCode >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(code), { cause: error })
}
