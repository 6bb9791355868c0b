import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { ask } from './api'
import type { Me, OrganizationView } from './types'

/** The signed-in person; null if signed out. */
export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: () => ask<Me | null>('/me'),
    staleTime: 30_000,
  })

type Here = { me: Me; organization: OrganizationView }
export const HereContext = createContext<Here | null>(null)

/** Returns the signed-in person, the current organization, and the person's rights in it. */
export function useHere() {
  const here = useContext(HereContext)!
  const { role } = here.organization
  const isAdmin = role === 'owner' || role === 'admin'
  return { ...here, isAdmin, isOperator: isAdmin || role === 'operator' }
}
