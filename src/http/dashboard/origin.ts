import { isOwnName } from '../../domain/tenant/sign-in'
import { Refusal } from '../request/failure'

/**
 * A change must come from the pages themselves: from their configured origin, or by an address of the host from that
 * very address. Another name that leads here is not believed, whoever set it up. Browsers say where a request comes
 * from; whoever says nothing is no browser, and has no cookie to abuse.
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
