import type { SendLetter } from '../../ports/identity'

/**
 * Sends letters by SMTP.
 *
 * @param url `smtp://user:password@host:port`, as nodemailer reads it.
 */
export function mail(url: string, from: string): NonNullable<SendLetter> {
  const loading = async () => (await import('nodemailer')).createTransport(url)
  let transport: ReturnType<typeof loading> | null = null
  return async ({ to, subject, text }) => {
    transport ??= loading()
    await (await transport).sendMail({ from, to, subject, text })
  }
}
