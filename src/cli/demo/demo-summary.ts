import { table } from '../terminal/table'
import type { Outcome } from './demo-deposits'
import type { DashboardAccount } from './seed-dashboard'

/** Renders the result of every deposit as tables. */
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
  /** The prefix that every command needs to find this demo. */
  prefix: string
}

/** Lists addresses, keys, and commands to paste. */
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
