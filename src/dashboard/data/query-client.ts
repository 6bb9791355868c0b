import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api'

const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && error.statusCode >= 400 && error.statusCode < 500

const failedAgainMs = 5_000

/**
 * Makes the page's cache. Without a network a request fails like any other. TanStack's default would hide that, and
 * would send a pressed action by itself once the network is back, perhaps hours later.
 */
export function newQueryClient(): QueryClient {
  /** Parts of the page that failed to load are fetched again until the server responds. */
  const queryCache = new QueryCache({
    onError: (error, failed) => {
      if (isFinal(error)) return
      const again = () =>
        failed.state.status === 'error' &&
        client.refetchQueries({ type: 'active', predicate: (query) => query === failed }, { cancelRefetch: false })
      setTimeout(again, failedAgainMs)
    },
  })
  const client = new QueryClient({
    queryCache,
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 3_000,
        retry: (count, error) => !isFinal(error) && count < 2,
        refetchOnWindowFocus: true,
        refetchOnReconnect: true,
      },
      mutations: { networkMode: 'always' },
    },
  })
  return client
}
