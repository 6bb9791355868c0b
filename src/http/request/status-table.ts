import { statuses } from '../../domain/execution/status'

/** What every status means, as a table of the documentation. */
export const statusTable = (): string =>
  [
    '| Status | Kind | Meaning |',
    '|---|---|---|',
    ...Object.entries(statuses).map(
      ([status, { kind, description }]) => `| \`${status}\` | ${kind} | ${description} |`,
    ),
  ].join('\n')
