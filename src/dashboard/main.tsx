import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { beginAccess } from './access/begin'
import { App } from './app'
import { newQueryClient } from './data/query-client'
import './first'
import { theme } from './styles/theme'
import { Toast } from './ui/toast'

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
// The scroll lock of dialogs reads the nonce from this name.
Object.assign(globalThis, { __webpack_nonce__: nonce })

beginAccess()
createRoot(document.getElementById('root')!).render(
  <MantineProvider theme={theme} getStyleNonce={() => nonce} defaultColorScheme="auto">
    <QueryClientProvider client={newQueryClient()}>
      <Router base="/app">
        <App />
        <Toast />
      </Router>
    </QueryClientProvider>
  </MantineProvider>,
)
