import { Button } from '@mantine/core'
import { useState } from 'react'
import { grouped } from '../../data/format'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { filterOf } from '../executions/execution-filter'
import { type BulkFilter, useMatched } from './bulk'
import { RetryDialog } from './retry-dialog'

/**
 * Returns the job filter for the retryable executions of a list. Null if there are none, or if the list is searched for
 * a text, because such a search uses several filters in turn.
 */
function retryableOf(parameters: URLSearchParams): BulkFilter | null {
  if (parameters.get('q')) return null
  const { status, ...rest } = filterOf(parameters)
  if (status && !status.split(',').includes('FAILED')) return null
  const named = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return { ...Object.fromEntries(named), status: 'FAILED' }
}

/** Retries the executions of a list, for operators. */
export function RetryThese({ parameters }: { parameters: URLSearchParams }) {
  const { isOperator } = useHere()
  const [confirming, setConfirming] = useState<BulkFilter | null>(null)
  const filter = isOperator ? retryableOf(parameters) : null
  const matched = ifLoaded(useMatched('retry', filter), (matchedView) => matchedView.matched)
  return (
    <>
      {filter && matched !== undefined && matched > 0 && (
        <Button variant="default" size="sm" onClick={() => setConfirming(filter)}>
          Retry these {grouped(matched)}
        </Button>
      )}
      {confirming && <RetryDialog filter={confirming} onClose={() => setConfirming(null)} />}
    </>
  )
}
