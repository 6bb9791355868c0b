import { chainIds, chainKeyOf, isChainId } from '../../domain/chain/chain'
import { tokenAddressOf } from '../../domain/money/token'
import { type PauseScope, pauseScopes } from '../../domain/tenant/pause-scope'
import type { Pause } from '../../ports/operators'
import type { Organizations } from '../../ports/tenants'
import type { Caller } from '../request/caller'
import { Refusal } from '../request/failure'
import { versionOf } from '../request/seen'
import { checksummed } from '../views/address-parameter'
import { assurePlatform } from './access'

export const scopeForms =
  'all, chain:<id>, provider:<name>, token:<chain id>:<address>, tenant:<organization id> or organization'

const [ownMark, tenantMark] = ['organization:', 'tenant:']

type ScopePorts = { providerNames: readonly string[]; organizations: Pick<Organizations, 'load'> }
type Viewer = Pick<Caller, 'tenant'>

/**
 * Returns the stored form of a scope named in a path. Every scope except the caller's own organization belongs to the
 * platform.
 */
export async function scopeOf(scope: string, caller: Caller, ports: ScopePorts): Promise<PauseScope> {
  if (scope === 'organization') return pauseScopes.organization(caller.organization.id)
  const id = scope.startsWith(tenantMark) ? scope : storedScope(scope, ports.providerNames)
  if (id === null) throw new Refusal('VALIDATION_FAILED', { message: whyNoScope(scope, ports.providerNames) })
  assurePlatform(caller)
  if (id.startsWith(tenantMark) && !(await ports.organizations.load(id.slice(tenantMark.length))))
    throw new Refusal('VALIDATION_FAILED', { message: 'scope must name an existing organization' })
  return id
}

function storedScope(scope: string, providerNames: readonly string[]): PauseScope | null {
  const [kind, first = '', second = '', ...rest] = scope.split(':')
  if (rest.length > 0) return null
  const chainId = chainIds.find((id) => String(id) === first)
  if (scope === 'all') return pauseScopes.all
  if (kind === 'provider' && second === '' && providerNames.includes(first)) return pauseScopes.provider(first)
  if (!chainId) return null
  if (kind === 'chain' && second === '') return pauseScopes.chain(chainId)
  if (kind === 'token' && /^0x[0-9a-fA-F]{40}$/.test(second))
    return pauseScopes.token(chainId, tokenAddressOf(chainId, checksummed(second)))
  return null
}

/** Returns the error in a scope: in its form, or in the provider or chain that it names. */
function whyNoScope(scope: string, providerNames: readonly string[]): string {
  const [, kind, first] = /^(chain|provider|token):([^:]+)/.exec(scope) ?? []
  if (kind === 'provider') return `scope must name one of these providers: ${providerNames.join(', ')}`
  if (kind && !chainIds.some((id) => String(id) === first))
    return `scope must name one of these chains: ${chainIds.map((id) => `${id} (${chainKeyOf(id)})`).join(', ')}`
  return `scope must be ${scopeForms}`
}

/** Returns the organization that a pause covers, or null if it covers something else. */
export const organizationOf = ({ id }: Pick<Pause, 'id'>): string | null => {
  const mark = [ownMark, tenantMark].find((mark) => id.startsWith(mark))
  return mark === undefined ? null : id.slice(mark.length)
}

/** Returns the scope as the API shows it. An organization's own pause is simply `organization`. */
export const publicScopeOf = ({ id }: Pick<Pause, 'id'>): string => (id.startsWith(ownMark) ? 'organization' : id)

/**
 * Returns the version of a pause. The platform's operators read several pauses of the scope `organization`, so for them
 * its version names the organization.
 */
export const pauseVersionOf = (pause: Pick<Pause, 'id' | 'version'>, { tenant }: Viewer): string =>
  tenant === null && pause.id.startsWith(ownMark) ? `${versionOf(pause)}-${organizationOf(pause)}` : versionOf(pause)

/** Whether a pause is the one that a caller of an organization names `organization`. */
export const isOwn = ({ id }: Pick<Pause, 'id'>, organization: { id: string }): boolean =>
  id === pauseScopes.organization(organization.id)

export const isInForce = ({ resumedAt, until }: Pause, now: number): boolean =>
  resumedAt === null && (until === null || until > now)

/** Whether this release has the chain of a scope, if any. The pause of a removed chain stops nothing. */
const hasChain = (id: PauseScope): boolean => {
  const [, chainId] = /^(?:chain|token):([^:]+)/.exec(id) ?? []
  return chainId === undefined || isChainId(Number(chainId))
}

/** Whether a viewer may see a pause. Only the platform's operators see a pause of another organization. */
export const concerns = (pause: Pick<Pause, 'id'>, { tenant }: Viewer): boolean => {
  if (!hasChain(pause.id)) return false
  const organizationId = organizationOf(pause)
  return tenant === null || organizationId === null || organizationId === tenant
}
