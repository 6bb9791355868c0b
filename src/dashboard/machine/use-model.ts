import { useQuery } from '@tanstack/react-query'
import { ask } from '../data/api'
import { useHere } from '../data/session'
import type { Lifecycle } from '../data/types'
import { modelOf } from './model'

/** The machine as it is published: it changes with the service, so it is asked for once. */
export function useModel() {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['lifecycle', organization.id],
    queryFn: () => ask<Lifecycle>('/lifecycle'),
    staleTime: Number.POSITIVE_INFINITY,
    select: modelOf,
  })
}
