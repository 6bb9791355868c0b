import { statuses } from '../../domain/execution/status'

/** Returns the meaning of every status, as a Markdown table. */
export const statusTable = (): string =>
  [
    '| Status | Kind | Meaning |',
    '|---|---|---|',
    ...Object.entries(statuses).map(
      ([status, { kind, description }]) => `| \`${status}\` | ${kind} | ${description} |`,
    ),
  ].join('\n')
