import { table } from '../terminal/table'
import type { Outcome } from './demo-deposits'
import type { DashboardAccount } from './seed-dashboard'

/** Tables that show what became of every deposit. */
export const outcomeTables = (outcomes: readonly Outcome[]): string =>
  [
    table(
      ['route', 'amount in', 'fee', 'delivered', 'confirmed to SUCCESS', 'recipient before', 'after'],
      outcomes.map((each) => [each.route, each.amountIn, each.fee, each.delivered, each.took, each.before, each.after]),
    ),
    table(
      ['route', 'source transaction', 'destination transaction'],
      outcomes.map(({ route, sourceHash, destinationHash }) => [route, sourceHash, destinationHash]),
    ),
  ].join('\n\n')

type Addresses = {
  apiUrl: string
  docsUrl: string
  dashboard: DashboardAccount
  clientKey: string
  devnetFile: string
  /** What every command must begin with to find this demo. */
  prefix: string
}

/** Addresses, keys, and commands that can be pasted. */
export function nextSteps({ apiUrl, docsUrl, dashboard, clientKey, devnetFile, prefix }: Addresses): string {
  return `
API          ${apiUrl}
Docs         ${docsUrl}
Dashboard    ${dashboard.url}   (${dashboard.email}, ${dashboard.password})
CLIENT key   ${clientKey}
Everything   ${devnetFile}

Try          curl -s -H 'x-api-key: ${clientKey}' ${apiUrl}/api/users/alice/executions
Deposit      ${prefix}npx switchyard deposit --user zoe --from polygon --token USDC --amount 25
Trouble      ${prefix}npx switchyard deposit --user zoe --outcome DEAD_LETTER
Operate      ${prefix}npx switchyard operator --help
`
}
