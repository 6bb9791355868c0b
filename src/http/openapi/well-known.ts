import { Elysia } from 'elysia'
import { type IntroductionFacts, introduction } from './introduction'
import { hidden } from './operation-docs'

/** Standard paths where programs look for an API's description. */
export const documentPaths = ['/docs/json', '/swagger/json', '/openapi.json', '/.well-known/openapi.json'] as const

/** By llmstxt.org: a heading, a summary, the rules that matter most, and links. */
const llms = (base: string): string => `# Switchyard

> Routes cross-chain deposits. Name a user and the destination of that user's money: a chain, a token and a recipient.
> The user gets one deposit address, the same on every chain. Deposits there are routed to the destination.

- Send the key as \`x-api-key\`, from a server, never from a page or an app.
- \`POST /api/deposit-intents\` sets the destination of a user's money and returns the \`depositAddress\`. A second call
  changes the destination of later deposits; the address stays.
- Amounts are decimal strings in atomic units. Never put one into a floating-point number.
- An execution has ended exactly when \`completedAt\` is not null. \`SUCCESS\` means that the money was seen on the
  destination chain. \`funds\` shows where the money is, and \`next\` who acts next.
- Send an \`Idempotency-Key\` with every mutation. After a 503 or a cut connection, repeat with the same key, after \`retry-after\`.
- Switch on the header \`x-error-code\`, not on messages. Ignore fields, codes and types of events that you do not know.
- Events and webhooks are delivered at least once and in any order: keep the highest \`seq\` for each
  \`data.id\`; \`deposit.orphaned\` and \`deposit.returned\` do not count.
- Verify webhooks (Standard Webhooks 1.0) over the raw body, before you parse it.

## Reference

- [OpenAPI document](${base}/openapi.json): every operation, object, error and event
- [Introduction](${base}/llms-full.txt): first requests, chains, statuses, errors, repeating requests
- [Reference for people](${base}/docs): the same document, where every operation can be tried
`

/** RFC 9727: a set of links (RFC 9264) to the description of the API. */
const catalog = (base: string) => ({
  linkset: [
    {
      anchor: `${base}/api`,
      'service-desc': [{ href: `${base}/openapi.json`, type: 'application/json' }],
      'service-doc': [{ href: `${base}/docs`, type: 'text/html' }],
      status: [{ href: `${base}/api/health`, type: 'application/json' }],
    },
  ],
})

/** Describes the service to programs that use no page. The texts are the same for every caller. */
export function wellKnown({ serverUrl, ...introduced }: IntroductionFacts & { serverUrl: string | null }) {
  const base = serverUrl?.replace(/\/$/, '') ?? ''
  const textResponse = (text: string, type: string) => () =>
    new Response(text, {
      headers: { 'content-type': type, 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' },
    })
  const markdown = 'text/plain; charset=utf-8'
  const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
  return new Elysia({ name: 'well-known' })
    .get('/llms.txt', textResponse(llms(base), markdown), hidden)
    .get('/llms-full.txt', textResponse(`# Switchyard\n\n${introduction(introduced)}\n`, markdown), hidden)
    .get('/.well-known/api-catalog', textResponse(JSON.stringify(catalog(base)), linkset), hidden)
}
