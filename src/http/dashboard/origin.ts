import { isOwnName } from '../../domain/tenant/sign-in'
import { Refusal } from '../request/failure'

/**
 * Refuses a change that does not come from the pages themselves: from their configured origin or, where the host is an
 * address, from that very address. Any other name that leads here is not believed, whoever set it up. Browsers always
 * say where a change comes from, so refusing a request that does not say shuts out none of them.
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
