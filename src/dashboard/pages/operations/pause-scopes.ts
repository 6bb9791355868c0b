import { type ChainId, chainIds, chainKeyOf, chains } from '../../../domain/chain/chain'
import { providerName } from '../../../domain/execution/provider'
import { holdingScopes } from '../../../domain/tenant/pause-scope'
import { chainName, short } from '../../data/format'
import type { DepositRow } from '../../data/types'

/** Returns the name of a scope. */
export function scopeName(scope: string, nameOf: (organizationId: string) => string): string {
  const [kind, first = '', second = ''] = scope.split(':')
  const chain = chainIds.find((id) => String(id) === first)
  switch (kind) {
    case 'all':
      return 'Everything'
    case 'chain':
      return chain ? nameOfChain(chain) : scope
    case 'provider':
      return providerName(first)
    case 'token':
      return chain ? `Token ${short(second)} on ${nameOfChain(chain)}` : scope
    case 'tenant':
      return nameOf(first)
    case 'organization':
      return first === '' ? 'This organization' : nameOf(first)
    default:
      return scope
  }
}
const nameOfChain = (id: ChainId): string => chainName(chainKeyOf(id))

type Scoped = { scope: string; organizationId?: string | null | undefined }

type MaybeOwn = Scoped & { isOwn?: boolean }

/** Whether a pause is the own one of an organization. A service of an earlier release does not say so. */
export const isOwnOf = ({ scope, isOwn, organizationId }: MaybeOwn, here: string): boolean =>
  isOwn ?? (scope === 'organization' && (organizationId ?? here) === here)

/** Whether operators here may end the pause: each organization its own, and the platform all but those. */
export const mayEnd = (pause: MaybeOwn, { id, isPlatform }: { id: string; isPlatform: boolean }): boolean =>
  isOwnOf(pause, id) || (isPlatform && pause.scope !== 'organization')

type Place = 'fromChainId' | 'fromTokenAddress' | 'toChainId' | 'toTokenAddress'
/** The money that a pause can hold. Without an intent it has no destination. */
type Paused = Pick<DepositRow, Place | 'organizationId'>

/** Whether a pause holds a deposit. */
export function holds({ scope, organizationId }: Scoped, paused: Paused, { id }: { id: string }): boolean {
  const { fromChainId, fromTokenAddress, toChainId, toTokenAddress, organizationId: owner = id } = paused
  const target = toChainId && toTokenAddress ? [{ chainId: toChainId, token: toTokenAddress }] : []
  const scopes = holdingScopes(owner, [{ chainId: fromChainId, token: fromTokenAddress }, ...target])
  const shown = scope === 'organization' ? `${scope}:${organizationId ?? id}` : scope
  return scopes.some((each) => each.toLowerCase() === shown.toLowerCase())
}

export const scopeKinds = [
  { value: 'provider', label: 'A routing provider' },
  { value: 'chain', label: 'A chain' },
  { value: 'token', label: 'A token' },
  { value: 'tenant', label: 'An organization' },
  { value: 'all', label: 'Everything, for all organizations' },
] as const
export type ScopeKind = (typeof scopeKinds)[number]['value']

export const chainChoices = Object.entries(chains).map(([key, { id }]) => ({
  value: String(id),
  label: chainName(key),
}))

/** The effect of pausing a scope, in a sentence. */
const effects: Record<string, string> = {
  all: 'Nothing is routed for any organization until the pause ends.',
  chain: 'Nothing is routed from or to this chain until the pause ends.',
  provider: 'No quotes are requested from it. Other providers replace it if they have a route.',
  token: 'Deposits of this token and deliveries in it wait until the pause ends.',
  tenant: 'Its deposits wait until the pause ends. Its members see the reason but cannot end the pause.',
  organization: 'Your deposits wait until the pause ends.',
}
export const effectOf = (scope: string): string | undefined => effects[scope.split(':')[0]!]
