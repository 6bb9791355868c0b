import { Box } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { OverdueRecordsView } from '../../../http/dashboard/overdue-records'
import { ask, isNotFound } from '../../data/api'
import { choicesOf, ifLoaded, type QueryState } from '../../data/read'
import { useHere } from '../../data/session'
import type { DepositRow, ExecutionRow } from '../../data/types'
import { type Overdue, overdueKey, useOverdue } from '../../live/overdue'
import { Unread } from '../../ui/loaded'
import { RescanDeposit } from '../deposit/rescan-deposit'
import { Actions, ApproveDeposit } from '../execution/actions'
import { PauseButton } from '../operations/pause-button'
import { usePauses } from '../operations/pauses'
import { Resume } from '../operations/resume'

/** The acts of operators on an overdue entry: on its execution or deposit, or on its chain or provider. */
export default function OverdueActions({ row: { executionId, depositId, chainId, provider } }: { row: Overdue }) {
  if (executionId !== null) return <OfExecution id={executionId} />
  if (depositId !== null) return <OfDeposit id={depositId} />
  return <OfPlatform scope={provider ? `provider:${provider}` : chainId === null ? null : `chain:${chainId}`} />
}

/** The entries whose records come in one response. A page shows no more rows. */
export const recordsMax = 25

/** Whether an entry that has an execution or a deposit lacks its record: two API servers can list different entries. */
export function lacksRecord(entries: readonly Overdue[], records: OverdueRecordsView | undefined): boolean {
  const ids = entries.map(({ executionId, depositId }) => executionId ?? depositId).filter((id) => id !== null)
  if (records === undefined) return ids.length > 0
  const read = new Set([...records.executions, ...records.deposits].map(({ id }) => id))
  return ids.some((id) => !read.has(id))
}

/** Reads the records of the first entries in one request, and again when other entries are listed or one is missing. */
function useRecords() {
  const { organization } = useHere()
  const first = choicesOf(useOverdue()).slice(0, recordsMax)
  return useQuery({
    queryKey: ['overdue records', organization.id, first.map(overdueKey)],
    queryFn: () => ask<OverdueRecordsView>('/overdue/records'),
    enabled: first.length > 0,
    refetchInterval: ({ state }) => lacksRecord(first, state.data) && 5_000,
    // The buttons of the entries that stay listed stay too.
    placeholderData: (before) => before,
  })
}

/** Why the actions of the entries are missing, with a retry. */
export const RecordsUnread = () => <Unread of={useRecords()} />

type Own<Row> = Pick<QueryState<Row>, 'data' | 'error'>
/**
 * Returns the newer record of an entry: its own, also after a failed read unless it is gone, or the listed one. A page
 * that showed the record earlier may have left an older one.
 */
export function newestOf<Row extends { seq: number }>({ data, error }: Own<Row>, listed?: Row): Row | undefined {
  const own = isNotFound(error) ? undefined : data
  return own && listed && own.seq < listed.seq ? listed : (own ?? listed)
}

/**
 * Returns the record of an entry, and reads it and the entries again after an act. A row in use reads its own record,
 * and keeps it up to date. The other rows have theirs from the records of all.
 */
function useRecord<Row extends DepositRow | ExecutionRow>(kind: 'execution' | 'deposit', id: string, listed?: Row) {
  const { organization } = useHere()
  const client = useQueryClient()
  const queryKey = [kind, organization.id, id]
  const [isInUse, setInUse] = useState(false)
  const query = useQuery<Row>({
    queryKey,
    queryFn: () => ask<Row>(`/${kind}s/${encodeURIComponent(id)}`),
    enabled: isInUse,
    refetchInterval: 5_000,
  })
  const row = newestOf(query, listed)
  const renew = () => {
    void query.refetch()
    void client.invalidateQueries({ queryKey: ['overdue', organization.id] })
  }
  const use = () => setInUse(true)
  const leave = () => setInUse(false)
  const acts = (children: ReactNode) => (
    <Box className="row" onPointerEnter={use} onFocus={use} onPointerLeave={leave} onBlur={leave}>
      {children}
    </Box>
  )
  return { row, renew, acts }
}

function OfExecution({ id }: { id: string }) {
  const listed = ifLoaded(useRecords(), ({ executions }) => executions.find((each) => each.id === id))
  const { row, renew, acts } = useRecord<ExecutionRow>('execution', id, listed)
  if (!row) return null
  return acts(
    <>
      <Resume of={row} />
      <Actions execution={row} onDone={renew} size="compact-sm" />
    </>,
  )
}

function OfDeposit({ id }: { id: string }) {
  const listed = ifLoaded(useRecords(), ({ deposits }) => deposits.find((each) => each.id === id))
  const { row, renew, acts } = useRecord<DepositRow>('deposit', id, listed)
  if (!row) return null
  return acts(
    <>
      <Resume of={row} />
      <RescanDeposit deposit={row} onDone={renew} />
      {row.next.action === 'APPROVE' && <ApproveDeposit of={row} onDone={renew} />}
    </>,
  )
}

function OfPlatform({ scope }: { scope: string | null }) {
  const { organization } = useHere()
  const pauses = usePauses()
  if (!organization.isPlatform || scope === null) return null
  return ifLoaded(pauses, (all) => <PauseButton scope={scope} pause={all.find((each) => each.scope === scope)} />)
}
