import { plainText } from '../../domain/plain-text'
import type { SendLetter } from '../../ports/identity'

type To = { user: { email: string; name: string } }
type Linked = To & { token: string }

const nameMax = 64

export type LetterSettings = {
  /** Where the pages are, as a browser sees it: `https://switchyard.example`. */
  origin: string
  send: SendLetter
  /** A link that could not be mailed, because no mail server is configured. */
  onLink: (what: string, email: string, url: string) => void
  onTrouble: (message: string, error?: unknown) => void
}

/** What is written to people, by mail where there is a server for it, else to the log. */
export function letters({ origin, send, onLink, onTrouble }: LetterSettings) {
  /** Nobody waits for it: how long an answer takes would tell whether there is somebody to write to. */
  async function write(what: string, { email, name }: To['user'], url: string, lines: string[]): Promise<void> {
    if (!send) return onLink(what, email, url)
    const text = [`Hello ${plainText(name, nameMax)},`, ...lines, url].join('\n\n')
    send({ to: email, subject: `Switchyard: ${what}`, text }).catch((error) =>
      onTrouble(`the letter to ${what} was not sent`, error),
    )
  }
  return {
    verifyAddress: ({ user, token }: Linked) =>
      write('confirm your address', user, `${origin}/app/auth/verify-email?token=${token}&callbackURL=/app`, [
        'please confirm that this address is yours. The link works for 24 hours.',
      ]),
    resetPassword: ({ user, token }: Linked) =>
      write('set a new password', user, `${origin}/app/reset-password?token=${token}`, [
        'here you can set a new password. The link works once, for one hour. If you did not ask for it, do nothing.',
      ]),
    /** Only the owner of the address hears that there is an account. */
    alreadyHere: ({ user }: To) =>
      write('you have an account already', user, `${origin}/app`, [
        'somebody tried to sign up with your address. You have an account; sign in or ask for a new password here.',
      ]),
  }
}
