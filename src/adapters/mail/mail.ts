import { createTransport } from 'nodemailer'
import type { SendLetter } from '../../ports/identity'

/** Letters by SMTP. @param url `smtp://user:password@host:port`, as nodemailer reads it. */
export function mail(url: string, from: string): NonNullable<SendLetter> {
  const transport = createTransport(url)
  return async ({ to, subject, text }) => {
    await transport.sendMail({ from, to, subject, text })
  }
}
