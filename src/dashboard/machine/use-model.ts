import { useQuery } from '@tanstack/react-query'
import { ask } from '../data/api'
import { useHere } from '../data/session'
import type { Lifecycle } from '../data/types'
import { modelOf } from './model'

/** Returns the state machine as the API publishes it. It changes only with a release, so it is fetched once. */
export function useModel() {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['lifecycle', organization.id],
    queryFn: () => ask<Lifecycle>('/lifecycle'),
    staleTime: Number.POSITIVE_INFINITY,
    select: modelOf,
  })
}
