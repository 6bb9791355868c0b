import { useQuery } from '@tanstack/react-query'
import { askAll } from './api'
import { useHere } from './session'

type TenantName = { id: string; name: string; slug: string }

/** Every organization by its name, for the platform's operators; nobody else is told of others. */
export function useTenants() {
  const { organization, isOperator } = useHere()
  return useQuery({
    queryKey: ['tenants', organization.id],
    queryFn: async () => (await askAll<TenantName>('/tenants')).toSorted((a, b) => a.name.localeCompare(b.name)),
    enabled: organization.isPlatform && isOperator,
    staleTime: 60_000,
  })
}

/** How an organization is called; its id until that is known, or where nobody may know. */
export function useTenantName(): (id: string) => string {
  const tenants = useTenants()
  return (id) => tenants.data?.find((tenant) => tenant.id === id)?.name ?? id
}

/** On the platform's pages: whose it is. */
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
