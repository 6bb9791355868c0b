import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../../data/api'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import type { DepositDetail, ExecutionDetail } from '../../data/types'
import type { Overdue } from '../../live/overdue'
import { Actions, ApproveDeposit } from '../execution/actions'
import { PauseButton } from '../operations/pause-button'

/** The buttons for an overdue entry: those of its execution, an approval, or a pause of its chain or provider. */
export default function OverdueActions({ row: { executionId, depositId, chainId, provider } }: { row: Overdue }) {
  if (executionId !== null) return <OfExecution id={executionId} />
  if (depositId !== null) return <OfDeposit id={depositId} />
  return <OfPlatform scope={provider ? `provider:${provider}` : chainId === null ? null : `chain:${chainId}`} />
}

const Open = ({ href }: { href: string }) => (
  <Button component={Link} href={href} size="sm" variant="default">
    Open
  </Button>
)

function OfExecution({ id }: { id: string }) {
  const { organization } = useHere()
  const client = useQueryClient()
  const queryKey = ['execution', organization.id, id]
  const path = `/executions/${encodeURIComponent(id)}`
  const query = useQuery({ queryKey, queryFn: () => ask<ExecutionDetail>(path) })
  const renew = () => {
    void client.invalidateQueries({ queryKey })
    void client.invalidateQueries({ queryKey: ['overdue', organization.id] })
  }
  return (
    <div className="row acts">
      {ifLoaded(query, (execution) => (
        <Actions execution={execution} onDone={renew} />
      ))}
      <Open href={path} />
    </div>
  )
}

function OfDeposit({ id }: { id: string }) {
  const { organization } = useHere()
  const client = useQueryClient()
  const path = `/deposits/${encodeURIComponent(id)}`
  const query = useQuery({ queryKey: ['deposit', organization.id, id], queryFn: () => ask<DepositDetail>(path) })
  const renew = () => void client.invalidateQueries({ queryKey: ['overdue', organization.id] })
  return (
    <div className="row acts">
      {ifLoaded(
        query,
        (deposit) => deposit.next.action === 'APPROVE' && <ApproveDeposit of={deposit} onDone={renew} />,
      )}
      <Open href={path} />
    </div>
  )
}

function OfPlatform({ scope }: { scope: string | null }) {
  const { organization } = useHere()
  return (
    <div className="row acts">
      {organization.isPlatform && scope && <PauseButton scope={scope} />}
      <Open href="/operations" />
    </div>
  )
}
