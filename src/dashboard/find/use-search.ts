import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ask, queryOf } from '../data/api'
import { useHere } from '../data/session'
import type { Search } from '../data/types'
import { usePolling, useThrottledRefresh } from '../live/live'

const restMs = 200
/** Most results in the palette. The lists show more. */
export const resultsMax = 6
export const textMax = 1_024

/**
 * Searches for a text when typing pauses, and again after events. `isAnswered` is true once the results belong to this
 * text.
 */
export function useSearch(text: string) {
  const { organization } = useHere()
  const client = useQueryClient()
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text])
  const queryKey = ['search', organization.id, rested]
  const search = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask<Search>(`/search${queryOf({ q: rested, limit: resultsMax })}`, { signal }),
    enabled: rested !== '',
    refetchInterval: usePolling(),
  })
  const again = () => void client.invalidateQueries({ queryKey: ['search', organization.id] })
  useThrottledRefresh(({ type }) => type !== 'execution.moved', again)
  return { ...search, again, isAnswered: rested === text && rested !== '' && !search.isPending }
}
