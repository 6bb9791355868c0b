import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { ask } from './api'
import { useHere } from './session'

type Options<Answer> = Omit<UseQueryOptions<Answer>, 'queryKey' | 'queryFn'>

/**
 * Reads something of the current organization. The organization is in the key, so the pages of another one never show
 * it.
 */
export function useRead<Answer>([name, ...rest]: readonly unknown[], path: string, options: Options<Answer> = {}) {
  const { organization } = useHere()
  return useQuery({ queryKey: [name, organization.id, ...rest], queryFn: () => ask<Answer>(path), ...options })
}
