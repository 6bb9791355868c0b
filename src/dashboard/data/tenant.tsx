import { useQuery } from '@tanstack/react-query'
import type { TenantNameView } from '../../http/dashboard/bulk'
import { askAll } from './api'
import { ifLoaded } from './read'
import { useHere } from './session'

/** Returns the names of all organizations, for the platform's operators. Other sessions get none. */
export function useTenants() {
  const { organization, isOperator } = useHere()
  return useQuery({
    queryKey: ['tenants', organization.id],
    queryFn: async () => (await askAll<TenantNameView>('/tenants')).toSorted((a, b) => a.name.localeCompare(b.name)),
    enabled: organization.isPlatform && isOperator,
    staleTime: 60_000,
  })
}

/** Returns a function from an organization's id to its name, or to the id until the name is loaded. */
export function useTenantName(): (id: string) => string {
  const tenants = useTenants()
  return (id) => ifLoaded(tenants, (all) => all.find((tenant) => tenant.id === id)?.name) ?? id
}

/** Names a record's organization, on the platform's pages only. */
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
