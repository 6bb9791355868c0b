import { Button } from '@mantine/core'
import { useState } from 'react'
import { grouped } from '../../data/format'
import { useHere } from '../../data/session'
import { filterOf } from '../executions/execution-filter'
import { type BulkFilter, useMatched } from './bulk'
import { RetryDialog } from './retry-dialog'

/** What of a list can be tried again, as a job is asked for it; null: nothing, or a search that is several lists. */
function retryableOf(parameters: URLSearchParams): BulkFilter | null {
  if (parameters.get('q')) return null
  const { status, ...rest } = filterOf(parameters)
  if (status && !status.split(',').includes('FAILED')) return null
  const named = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return { ...Object.fromEntries(named), status: 'FAILED' }
}

/** On a list of executions, for those who act. */
export function RetryThese({ parameters }: { parameters: URLSearchParams }) {
  const { isOperator } = useHere()
  const [asked, setAsked] = useState<BulkFilter | null>(null)
  const filter = isOperator ? retryableOf(parameters) : null
  const matched = useMatched('retry', filter).data?.matched ?? 0
  return (
    <>
      {filter && matched > 0 && (
        <Button variant="default" size="sm" onClick={() => setAsked(filter)}>
          Retry these {grouped(matched)}
        </Button>
      )}
      {asked && <RetryDialog filter={asked} onClose={() => setAsked(null)} />}
    </>
  )
}
