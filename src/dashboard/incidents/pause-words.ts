import { scopeName } from '../pages/operations/pause-scopes'
import type { PauseShown } from './use-incidents'

type Viewer = { here: string; isPlatform: boolean; nameOf: (organizationId: string) => string }

const safe = 'Deposits are found and kept safe, and go on by themselves when it ends.'

/** What is paused, and what that means for whoever reads it. */
export function saidOfPause({ scope, organizationId }: PauseShown, { here, isPlatform, nameOf }: Viewer) {
  const [kind, first = ''] = scope.split(':')
  const owner = organizationId ?? here
  const said = (head: string, then = safe) => ({ head, then })
  switch (kind) {
    case 'all':
      return said(isPlatform ? 'Everything is paused' : 'All routing is paused by the platform')
    case 'organization':
      return owner === here
        ? said('Your organization has paused its routing')
        : said(`${nameOf(owner)} has paused itself`)
    case 'tenant':
      return isPlatform && first !== here
        ? said(`${nameOf(first)} is paused`)
        : said('Your organization’s routing is paused by the platform')
    case 'provider':
      return said(`${scopeName(scope, nameOf)} is paused`, 'Other providers take its place where they can.')
    default:
      return said(`${scopeName(scope, nameOf)} is paused`)
  }
}
