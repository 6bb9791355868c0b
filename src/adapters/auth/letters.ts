import type { IdentitySettings } from './better-auth'

type To = { user: { email: string; name: string } }
type Linked = To & { token: string }

/** What is written to people, by mail where there is a server for it, else to the log. */
export function letters({ origin, send, onLink }: Pick<IdentitySettings, 'origin' | 'send' | 'onLink'>) {
  async function write(what: string, { email, name }: To['user'], url: string, lines: string[]): Promise<void> {
    if (!send) return onLink(what, email, url)
    await send({ to: email, subject: `Switchyard: ${what}`, text: [`Hello ${name},`, ...lines, url].join('\n\n') })
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
