import { chainKeys, chains } from '../../../domain/chain/chain'
import { attentionStatuses } from '../../../domain/execution/status'
import { chainName } from '../../data/format'
import type { ExecutionRow } from '../../data/types'
import { isWithin, periodOf } from '../../lists/period'

const chainId = (key: string | null) => (key && key in chains ? chains[key as keyof typeof chains].id : undefined)
export const chainOptions = chainKeys.map((key) => ({ value: key, label: chainName(key) }))

/** The filter for ended executions that need action, without superseded ones. */
export const attentionQuery = `status=${attentionStatuses.join(',')}&superseded=false`

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
    ...periodOf(parameters),
  }
}

/** Whether a new execution belongs on the filtered list. Filters that cannot be checked here count as met. */
export function fits(row: ExecutionRow, parameters: URLSearchParams): boolean {
  const { status, fromChainId, toChainId, userId, superseded, causeCode, fromTokenAddress } = filterOf(parameters)
  return (
    !parameters.get('q') &&
    // A new execution is at the far end of a list that begins with the oldest.
    !parameters.get('order') &&
    (!status || status.split(',').includes(row.status)) &&
    (fromChainId === undefined || fromChainId === row.fromChainId) &&
    (toChainId === undefined || toChainId === row.toChainId) &&
    (!userId || userId === row.userId) &&
    (!causeCode || causeCode === row.cause?.code) &&
    (!fromTokenAddress || fromTokenAddress.toLowerCase() === row.fromTokenAddress.toLowerCase()) &&
    isWithin(row.createdAt, periodOf(parameters)) &&
    (!superseded || superseded === String(row.next.action === 'FOLLOW'))
  )
}
