import { chainKeys, chains } from '../../../domain/chain/chain'
import { attentionStatuses } from '../../../domain/execution/status'
import { deviceClock } from '../../data/device-clock'
import { chainName } from '../../data/format'
import type { ExecutionRow } from '../../data/types'

const chainId = (key: string | null) => (key && key in chains ? chains[key as keyof typeof chains].id : undefined)
export const chainOptions = chainKeys.map((key) => ({ value: key, label: chainName(key) }))
export const spans: Record<string, { label: string; ms: number }> = {
  hour: { label: 'Last hour', ms: 3_600_000 },
  day: { label: 'Last 24 hours', ms: 86_400_000 },
  week: { label: 'Last 7 days', ms: 7 * 86_400_000 },
}

/** The filter for ended executions that need action, without superseded ones. */
export const attentionQuery = `status=${attentionStatuses.join(',')}&superseded=false`

/** Returns the start of a time span, to the minute; undefined for any time. */
export function sinceOf(time: string | null | undefined): string | undefined {
  const span = spans[time ?? '']
  return span && new Date(Math.floor((deviceClock() - span.ms) / 60_000) * 60_000).toISOString()
}

/** Converts the filters in the URL to the API's query parameters. */
export const filterOf = (parameters: URLSearchParams) => {
  return {
    status: parameters.get('status'),
    fromChainId: chainId(parameters.get('from')),
    toChainId: chainId(parameters.get('to')),
    userId: parameters.get('user'),
    apiKeyId: parameters.get('key'),
    causeCode: parameters.get('cause'),
    superseded: parameters.get('superseded'),
    fromTokenAddress: parameters.get('token'),
    createdFrom: sinceOf(parameters.get('time')),
  }
}

/** Whether a new execution belongs on the filtered list. Filters that cannot be checked here count as met. */
export function fits(row: ExecutionRow, parameters: URLSearchParams): boolean {
  const { status, fromChainId, toChainId, userId, superseded, causeCode, fromTokenAddress } = filterOf(parameters)
  return (
    !parameters.get('q') &&
    (!status || status.split(',').includes(row.status)) &&
    (fromChainId === undefined || fromChainId === row.fromChainId) &&
    (toChainId === undefined || toChainId === row.toChainId) &&
    (!userId || userId === row.userId) &&
    (!causeCode || causeCode === row.cause?.code) &&
    (!fromTokenAddress || fromTokenAddress.toLowerCase() === row.fromTokenAddress.toLowerCase()) &&
    (!superseded || superseded === String(row.next.action === 'FOLLOW'))
  )
}
