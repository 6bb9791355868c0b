import { table } from '../terminal/table'
import type { Outcome } from './demo-deposits'
import type { DashboardAccount } from './seed-dashboard'

/** What became of every deposit. */
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

export type Addresses = {
  apiUrl: string
  docsUrl: string
  dashboard: DashboardAccount
  clientKey: string
  devnetFile: string
  /** Where its state is, if not in the usual place. */
  stateDir: string | null
}

/** What to do next, to be pasted. */
export function nextSteps({ apiUrl, docsUrl, dashboard, clientKey, devnetFile, stateDir }: Addresses): string {
  const at = stateDir ? `SWITCHYARD_DIR=${stateDir} ` : ''
  return `
API          ${apiUrl}
Docs         ${docsUrl}
Dashboard    ${dashboard.url}   (${dashboard.email}, ${dashboard.password})
CLIENT key   ${clientKey}
Everything   ${devnetFile}

Try          curl -s -H 'x-api-key: ${clientKey}' ${apiUrl}/api/users/alice/executions
Deposit      ${at}npx switchyard deposit --user zoe --from polygon --token USDC --amount 25
Otherwise    ${at}npx switchyard deposit --user zoe --outcome DEAD_LETTER
Operate      ${at}npx switchyard operator --help
`
}
