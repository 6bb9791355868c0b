import { statuses } from '../../domain/execution/status'

/** Returns the meaning of every status, as a Markdown table. */
export const statusTable = (): string =>
  [
    '| Status | Meaning |',
    '|---|---|',
    ...Object.entries(statuses).map(([status, { description }]) => `| \`${status}\` | ${description} |`),
  ].join('\n')
