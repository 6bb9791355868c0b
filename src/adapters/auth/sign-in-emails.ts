import { plainText } from '../../domain/plain-text'
import type { SendEmail } from '../../ports/people'

type To = { user: { email: string; name: string } }
type Linked = To & { token: string }

const nameMax = 64

export type EmailSettings = {
  /** Origin of the pages, as a browser sees it: `https://switchyard.example`. */
  origin: string
  send: SendEmail
  /** Receives a link that could not be sent, because no mail server is configured. */
  onLink: (what: string, email: string, url: string) => void
  onTrouble: (message: string, error?: unknown) => void
}

/** Writes the e-mails of sign-in. Without a mail server, their links go to `onLink`. */
export function signInEmails({ origin, send, onLink, onTrouble }: EmailSettings) {
  /**
   * Callers do not wait for the mail server. Otherwise the response time would reveal whether the address has an
   * account.
   */
  async function write(what: string, { email, name }: To['user'], url: string, lines: string[]): Promise<void> {
    if (!send) return onLink(what, email, url)
    const text = [`Hello ${plainText(name, nameMax)},`, ...lines, url].join('\n\n')
    send({ to: email, subject: `Switchyard: ${what}`, text }).catch((error) =>
      onTrouble(`the e-mail "${what}" was not sent`, error),
    )
  }
  return {
    verifyAddress: ({ user, token }: Linked) =>
      write('confirm your address', user, `${origin}/app/auth/verify-email?token=${token}&callbackURL=/app`, [
        'Confirm your address with the link below. It works for 24 hours.',
      ]),
    resetPassword: ({ user, token }: Linked) =>
      write('set a new password', user, `${origin}/app/reset-password?token=${token}`, [
        'Set a new password with the link below. It works once, for one hour. If you did not request it, do nothing.',
      ]),
    backupCodeUsed: ({ user, left }: To & { left: number }) =>
      write('a backup code was used', user, `${origin}/app/account`, [
        `A backup code of your account was used as its second step. ${left === 1 ? 'One is' : `${left} are`} left.`,
        'If it was not you, set a new password and make new backup codes here.',
      ]),
    /** Only the owner of the address learns that it has an account. */
    alreadyHere: ({ user }: To) =>
      write('you already have an account', user, `${origin}/app`, [
        'Someone tried to sign up with your address. You already have an account: sign in or request a new password here.',
      ]),
  }
}
