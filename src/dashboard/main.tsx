import { MantineProvider } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { beginAccess } from './access/begin'
import { App } from './app'
import { ApiError } from './data/api'
import './first'
import { theme } from './styles/theme'
import { Toast } from './ui/toast'

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
// The scroll lock of dialogs reads the nonce from this name.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && error.statusCode >= 400 && error.statusCode < 500

const failedAgainMs = 5_000

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
    queries: { staleTime: 3_000, retry: (count, error) => !isFinal(error) && count < 2, refetchOnWindowFocus: true },
  },
})

beginAccess()
createRoot(document.getElementById('root')!).render(
  <MantineProvider theme={theme} getStyleNonce={() => nonce} defaultColorScheme="auto">
    <QueryClientProvider client={client}>
      <Router base="/app">
        <App />
        <Toast />
      </Router>
    </QueryClientProvider>
  </MantineProvider>,
)
