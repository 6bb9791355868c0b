import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Router } from 'wouter'
import { HereContext } from '../../src/dashboard/data/session'
import type { MemberRole } from '../../src/dashboard/data/types'

/**
 * The answers of the server by the key of the query without the organization, such as `current intent/u`. An error is a
 * failed read; what is missing is on the way. A slash in a part is written `%2F`.
 */
type Answers = Record<string, unknown>
type Reader = { role?: MemberRole; isPlatform?: boolean; answers?: Answers; search?: string }

const organizationId = 'org_a'

function clientWith(answers: Answers): QueryClient {
  // A failed read is shown as such, and not as on the way again.
  const client = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } })
  for (const [key, answer] of Object.entries(answers)) {
    const [name, ...rest] = key.split('/').map(decodeURIComponent)
    const queryKey = [name, organizationId, ...rest]
    if (answer instanceof Error)
      client.getQueryCache().build(client, { queryKey }).setState({ status: 'error', error: answer })
    else client.setQueryData(queryKey, answer)
  }
  return client
}

/** Renders a part of a page once, as a member sees it. Nothing is fetched, and effects do not run. */
export function pageMarkup(part: ReactNode, reader: Reader): string {
  const { role = 'operator', isPlatform = false, answers = {}, search = '' } = reader
  const organization = { id: organizationId, name: 'Org A', slug: 'org-a', role, isPlatform }
  const here = { me: { person: { id: 'p', name: 'P', email: 'p@example.test' } }, organization }
  return renderToStaticMarkup(
    <MantineProvider>
      <QueryClientProvider client={clientWith(answers)}>
        <Router ssrPath="/" ssrSearch={search}>
          <HereContext value={here as never}>{part}</HereContext>
        </Router>
      </QueryClientProvider>
    </MantineProvider>,
  )
}
