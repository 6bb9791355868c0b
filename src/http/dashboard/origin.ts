import { isOwnName } from '../../domain/tenant/sign-in'
import { Refusal } from '../request/failure'

/**
 * Refuses a change that does not come from the pages themselves. Accepted are the configured origin and, if the host is
 * an IP address, that same address. Other host names are not trusted. Browsers always send the origin of a change, so
 * refusing a request without one blocks no browser.
 */
export function checkOrigin(request: Request, origin: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const sent = request.headers.get('origin')
  const host = request.headers.get('host')
  const isOurs = sent !== null && (sent === origin || (host !== null && isOwnName(host) && hostOf(sent) === host))
  if (!isOurs) throw new Refusal('FOREIGN_ORIGIN')
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host
  } catch {
    return null
  }
}
