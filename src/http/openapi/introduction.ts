import { type ChainId, chainKeys, chains } from '../../domain/chain/chain'
import type { RetryPolicy } from '../../domain/execution/retry'
import { statusTable } from '../request/status-table'
import { example } from '../views/examples'

const body = {
  userId: example.userId,
  targetChainId: example.toChainId,
  targetTokenAddress: example.arbitrumUsdc,
  targetAddress: example.recipient,
}

const gettingStarted = `
## Getting started

1. Create a key with role \`CLIENT\` in the dashboard. Press **Authorize** here to use it on this page.
2. Set the destination of a user's deposits. The response contains the deposit address:

\`\`\`sh
curl -X POST "$BASE_URL/api/deposit-intents" \\
  -H "x-api-key: $API_KEY" -H "content-type: application/json" \\
  -d '${JSON.stringify(body)}'
\`\`\`

3. Show the deposit address to the user, who sends tokens to it on any of the chains. No wallet connection, signature or
   further call is needed.
4. Follow the deposit:

\`\`\`sh
curl "$BASE_URL/api/users/user-1/executions" -H "x-api-key: $API_KEY"
curl -N "$BASE_URL/api/events" -H "x-api-key: $API_KEY" -H "accept: text/event-stream"
\`\`\`

A target that cannot work is refused with 400. \`code\` and \`x-error-code\` give the reason.

\`GET /api/users/{userId}/deposit-intent/versions\` lists the former destinations of a user's deposits. \`GET /api/search?q=\`
finds a deposit by anything its sender knows.
`.trim()

/** The configuration that the introduction states. */
export type IntroductionFacts = { confirmationsOf: (chainId: ChainId) => number; retry: RetryPolicy }

/** Returns the text above the endpoints, for a reader who has only this page. */
export const introduction = ({ confirmationsOf, retry }: IntroductionFacts): string =>
  `
Switchyard gives each of your users **one deposit address** that is the same on ${chainKeys.length} chains, and routes
deposits there to the chain, token and recipient that you choose.

${gettingStarted}

## Chains

| Chain | chainId | chainKey | Confirmations |
|---|---|---|---|
${chainKeys.map((key) => `| ${chains[key].name} | ${chains[key].id} | \`${key}\` | ${confirmationsOf(chains[key].id)} |`).join('\n')}

Token addresses are EVM addresses, accepted in any case (mixed case must be a valid EIP-55 checksum) and returned
with their checksum. The native coin of a chain is the zero address.

## Tokens

A token is routed if it is on the token list or a provider prices it. If that fails, its execution ends in
\`FAILED_INVALID_INPUT\`. Any other token becomes a deposit of stage \`UNSUPPORTED\`, one per account and token, with no
execution, no event and no use of your quota. Lists show it when you filter by \`stage=UNSUPPORTED\`, token or
transaction. \`POST /api/deposits/rescan\` with its id routes it. To find a deposit that was sent before the deposit
address existed, rescan its transaction.

## Values

Amounts are decimal strings in atomic units of their token: \`"25000000"\` is 25 USDC. Times are ISO 8601 in UTC. Names that
end in \`Seconds\` are durations, in \`Bps\` basis points (1 = 0.01 %), in \`Raw\` atomic units.

## Statuses

${statusTable()}

An execution has ended exactly when \`completedAt\` is not null. \`FAILED\` is retried automatically, up to
${retry.retriesMax} times, at growing intervals. Failed executions lose no money. In
\`GET /api/executions/{id}\`, \`funds\` shows where it is and \`next\` who acts next.

## Errors

Every error has the body \`{statusCode, message, error}\`; programs should switch on the header \`x-error-code\`. The message of 429 is always \`Quota exceeded\`: wait for \`retry-after\` seconds. Malformed
HTTP and headers of more than 16 KB get 400 or 431 with an empty body, and the connection is closed.

## Headers of every response

\`x-request-id\` names the exchange in our logs: quote it in support requests. \`cache-control\` sets how long the response may
be cached. With an API key, \`ratelimit-limit\` is the burst of the request’s rate class, \`ratelimit-remaining\` the requests
left in it, and \`ratelimit-reset\` the seconds until it is full again.

## Repeating requests

Mutations are safe to repeat: creating an intent again updates it. With an \`Idempotency-Key\`, the first response is
replayed for 24 hours. GETs have an \`etag\`: send it as \`if-none-match\`, and an unchanged response is an empty 304.
`.trim()
