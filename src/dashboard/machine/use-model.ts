import { useQuery } from '@tanstack/react-query'
import { ask } from '../api'
import { useHere } from '../session'
import type { Lifecycle } from '../types'
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
