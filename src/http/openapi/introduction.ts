import { type ChainId, chainKeys, chains } from '../../domain/chain/chain'
import type { RetryPolicy } from '../../domain/execution/retry'
import { refusals } from '../request/failure'
import { statusTable } from '../request/status-table'
import { targetRefusals } from '../routes/check-target'
import { example } from '../views/examples'

const body = {
  userId: example.userId,
  targetChainId: example.toChainId,
  targetTokenAddress: example.arbitrumUsdc,
  targetAddress: example.recipient,
}

/** What is configured, and said here. */
export type Introduced = { confirmationsOf: (chainId: ChainId) => number; retry: RetryPolicy }

/** The text above the endpoints: what somebody needs who has nothing but this page. */
export const introduction = ({ confirmationsOf, retry }: Introduced): string =>
  `
Switchyard gives each of your users **one deposit address** that is the same on ${chainKeys.length} chains, and sends
whatever arrives there to the chain, token and recipient that you named.

## Getting started

1. Create a key with role \`CLIENT\` in the dashboard. Press **Authorize** here to use it on this page.
2. Say where a user's deposits go. The answer holds the deposit address:

\`\`\`sh
curl -X POST "$BASE_URL/api/deposit-intents" \\
  -H "x-api-key: $API_KEY" -H "content-type: application/json" \\
  -d '${JSON.stringify(body)}'
\`\`\`

3. Show the deposit address to the user, who sends tokens to it on any of the chains. No wallet is connected, nothing is
   signed, nothing more is to be called.
4. Watch what happens:

\`\`\`sh
curl "$BASE_URL/api/users/user-1/executions" -H "x-api-key: $API_KEY"
curl -N "$BASE_URL/api/events" -H "x-api-key: $API_KEY" -H "accept: text/event-stream"
\`\`\`

A target that cannot work is refused with 400 and stored nowhere. Its \`code\`, like \`x-error-code\`, says why:

| Code | Why |
|---|---|
${targetRefusals.map((code) => `| \`${code}\` | ${refusals[code][1]} |`).join('\n')}

\`GET /api/users/{userId}/deposit-intent/versions\` lists where deposits of a user went before. \`GET /api/search?q=\` finds
a deposit by whatever its sender has: any hash, address, user or id, or a pasted page of an explorer.

## Chains

| Chain | chainId | chainKey | Confirmations |
|---|---|---|---|
${chainKeys.map((key) => `| ${chains[key].name} | ${chains[key].id} | \`${key}\` | ${confirmationsOf(chains[key].id)} |`).join('\n')}

Token addresses are EVM addresses, accepted in any case (mixed case must be a valid EIP-55 checksum) and answered
checksummed. The native coin of a chain is the zero address.

## Tokens

A token that is on the token list or that a provider prices is routed; where it cannot be, its execution ends
\`FAILED_INVALID_INPUT\`. Any other token leaves a deposit of stage \`UNSUPPORTED\`, one per account and token, without
execution, quota or event. It is listed where it is asked for: by \`stage=UNSUPPORTED\`, token or transaction.
\`POST /api/deposits/rescan\` with its id has it routed. What was sent before the deposit address was made is found by a
rescan of its transaction.

## Values

Amounts are decimal strings in atomic units of their token: \`"25000000"\` is 25 USDC. Times are ISO 8601 in UTC. Names that
end in \`Seconds\` are durations, in \`Bps\` basis points (1 = 0.01 %), in \`Raw\` atomic units.

## Statuses

${statusTable()}

An execution has ended exactly when \`completedAt\` is not null. \`FAILED\` is tried again by itself, up to
${retry.retriesMax} times, ever more slowly. Failed executions lose no money: \`GET /api/executions/{id}\` says in \`funds\` where
it is and in \`next\` who acts next.

## Errors

Every error has the body \`{statusCode, message, error}\`; programs switch on the header \`x-error-code\`. Every answer has an
\`x-request-id\`; name it when you ask us. 429 always says \`Quota exceeded\`: wait for \`retry-after\` seconds. Only what
is no HTTP, or has a head of more than 16 KB, is refused with 400 or 431 and an empty body, and the connection closed.

## Repeating requests

Mutations may be repeated: creating an intent again updates it. With an \`Idempotency-Key\` the first answer is replayed for
24 hours. GETs have an \`etag\`: send it as \`if-none-match\` and what has not changed costs a 304.
`.trim()
