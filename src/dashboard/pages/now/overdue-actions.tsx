import { Box } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask } from '../../data/api'
import { choicesOf, ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import type { DepositDetail, ExecutionDetail } from '../../data/types'
import type { Overdue } from '../../live/overdue'
import { RescanDeposit } from '../deposit/rescan-deposit'
import { Actions, ApproveDeposit } from '../execution/actions'
import { PauseButton } from '../operations/pause-button'
import { holds, mayEnd } from '../operations/pause-scopes'
import { usePauses } from '../operations/pauses'

/** The acts of operators on an overdue entry: on its execution or deposit, or on its chain or provider. */
export default function OverdueActions({ row: { executionId, depositId, chainId, provider } }: { row: Overdue }) {
  if (executionId !== null) return <OfExecution id={executionId} />
  if (depositId !== null) return <OfDeposit id={depositId} />
  return <OfPlatform scope={provider ? `provider:${provider}` : chainId === null ? null : `chain:${chainId}`} />
}

/**
 * Reads the record of an entry, and reads it and the entries again after an act. Only the records of rows in use are
 * kept up to date: there can be many rows.
 */
function useRecord<Detail>(kind: 'execution' | 'deposit', id: string) {
  const { organization } = useHere()
  const client = useQueryClient()
  const queryKey = [kind, organization.id, id]
  const [isInUse, setInUse] = useState(false)
  const query = useQuery({
    queryKey,
    queryFn: () => ask<Detail>(`/${kind}s/${encodeURIComponent(id)}`),
    refetchInterval: isInUse && 5_000,
  })
  const renew = () => {
    void client.invalidateQueries({ queryKey })
    void client.invalidateQueries({ queryKey: ['overdue', organization.id] })
  }
  const use = (): void => {
    if (!isInUse) void query.refetch()
    setInUse(true)
  }
  const leave = () => setInUse(false)
  const acts = (children: ReactNode) => (
    <Box className="row" onPointerEnter={use} onFocus={use} onPointerLeave={leave} onBlur={leave}>
      {children}
    </Box>
  )
  return { query, renew, acts }
}

function OfExecution({ id }: { id: string }) {
  const { query, renew, acts } = useRecord<ExecutionDetail>('execution', id)
  return ifLoaded(query, (execution) =>
    acts(
      <>
        <Resume of={execution} />
        <Actions execution={execution} onDone={renew} size="compact-sm" />
      </>,
    ),
  )
}

function OfDeposit({ id }: { id: string }) {
  const { query, renew, acts } = useRecord<DepositDetail>('deposit', id)
  return ifLoaded(query, (deposit) =>
    acts(
      <>
        <Resume of={deposit} />
        <RescanDeposit deposit={deposit} onDone={renew} />
        {deposit.next.action === 'APPROVE' && <ApproveDeposit of={deposit} onDone={renew} />}
      </>,
    ),
  )
}

type Waiting = Parameters<typeof holds>[1] & Pick<DepositDetail, 'next'>
/** Ends the pause for which it waits. */
const Resume = ({ of }: { of: Waiting }) => of.next.action === 'RESUME' && <Pausing of={of} />

function Pausing({ of }: { of: Waiting }) {
  const { organization } = useHere()
  return choicesOf(usePauses())
    .filter((pause) => mayEnd(pause, organization) && holds(pause, of, organization))
    .map((pause) => <PauseButton key={pause.scope} scope={pause.scope} pause={pause} />)
}

function OfPlatform({ scope }: { scope: string | null }) {
  const { organization } = useHere()
  const pauses = usePauses()
  if (!organization.isPlatform || scope === null) return null
  return ifLoaded(pauses, (all) => <PauseButton scope={scope} pause={all.find((each) => each.scope === scope)} />)
}
