import type { Identity } from '../../../ports/people'

/** Ends the session of a request whose response begins another session, so a stolen copy ends with it. */
export async function endReplaced(
  { identity, origin }: { identity: Identity; origin: string },
  { url, headers }: Pick<Request, 'url' | 'headers'>,
): Promise<void> {
  const cookie = headers.get('cookie') ?? ''
  const sent = new Headers({ cookie, origin, 'content-type': 'application/json' })
  await identity.answer(new Request(new URL('/app/auth/sign-out', url), { method: 'POST', headers: sent, body: '{}' }))
}
