import { scopeName } from '../pages/operations/pause-scopes'
import type { PauseShown } from './use-incidents'

type Viewer = { here: string; isPlatform: boolean; nameOf: (organizationId: string) => string }

const safe = 'Deposits are still found and kept safe. They continue automatically when the pause ends.'

/** Describes a pause and its effect for the reader. */
export function pauseText({ scope, organizationId }: PauseShown, { here, isPlatform, nameOf }: Viewer) {
  const [kind, first = ''] = scope.split(':')
  const owner = organizationId ?? here
  const said = (head: string, then = safe) => ({ head, then })
  switch (kind) {
    case 'all':
      return said(isPlatform ? 'Everything has been paused' : 'All routing has been paused by the platform')
    case 'organization':
      return owner === here
        ? said('Your organization has paused its routing')
        : said(`${nameOf(owner)} has paused its own routing`)
    case 'tenant':
      return isPlatform && first !== here
        ? said(`${nameOf(first)} has been paused`)
        : said('Your organization’s routing has been paused by the platform')
    case 'provider':
      return said(`${scopeName(scope, nameOf)} has been paused`, 'Other providers replace it if they have a route.')
    default:
      return said(`${scopeName(scope, nameOf)} has been paused`)
  }
}
