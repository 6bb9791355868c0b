import { useQuery } from '@tanstack/react-query'
import type { TenantNameView } from '../../http/dashboard/bulk'
import { askAll } from './api'
import { useHere } from './session'

/** The names of all organizations, for the platform's operators. Nobody else is told of other organizations. */
export function useTenants() {
  const { organization, isOperator } = useHere()
  return useQuery({
    queryKey: ['tenants', organization.id],
    queryFn: async () => (await askAll<TenantNameView>('/tenants')).toSorted((a, b) => a.name.localeCompare(b.name)),
    enabled: organization.isPlatform && isOperator,
    staleTime: 60_000,
  })
}

/** Gives the name of an organization, or its id while the name is not known. */
export function useTenantName(): (id: string) => string {
  const tenants = useTenants()
  return (id) => tenants.data?.find((tenant) => tenant.id === id)?.name ?? id
}

/** Names the organization that something belongs to, on the platform's pages only. */
export function Tenant({ id }: { id: string | null | undefined }) {
  const nameOf = useTenantName()
  const { organization } = useHere()
  if (!id || !organization.isPlatform) return null
  return (
    <div className="sub tiny" title={id}>
      {nameOf(id)}
    </div>
  )
}
