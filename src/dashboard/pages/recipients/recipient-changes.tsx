import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { HeldChangeView } from '../../../http/dashboard/held-changes'
import { ask, queryOf } from '../../data/api'
import { chainName, exact } from '../../data/format'
import { choicesOf } from '../../data/read'
import { useHere } from '../../data/session'
import { Hash } from '../../ui/hash'
import { ListView } from '../../ui/list-view'
import { Loaded } from '../../ui/loaded'
import { Bones, Empty, Page, Trouble } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { showToast } from '../../ui/toast'
import { findIntent, TargetWords } from '../intents/redirect'
import { useTokens } from '../intents/tokens'
import { HoldSetting } from './hold-setting'

/** Pending changes of recipients, and the safeguard that delays them. */
export default function RecipientChanges() {
  const { organization, isAdmin } = useHere()
  const client = useQueryClient()
  const queryKey = ['recipient-changes', organization.id]
  const list = useQuery({ queryKey, queryFn: () => ask<HeldChangeView[]>('/recipient-changes') })
  const renew = () => void client.invalidateQueries({ queryKey })
  const approve = useMutation({
    mutationFn: ({ id, version }: HeldChangeView) => ask(`/recipient-changes/${id}/approve`, { body: { version } }),
    onSuccess: () => showToast('Later deposits go to the new recipient.'),
    onSettled: renew,
  })
  const withdraw = useMutation({
    mutationFn: ({ id, version }: HeldChangeView) =>
      ask(`/recipient-changes/${id}${queryOf({ version })}`, { method: 'DELETE' }),
    onSuccess: () => showToast('The recipient stays as it is.'),
    onSettled: renew,
  })
  return (
    <Page
      title="Recipient changes"
      lead="Pending recipient changes. Deposits go to the current recipient until a change takes effect."
    >
      <Trouble error={approve.error ?? withdraw.error} />
      <ListView
        list={list}
        label="Recipient changes"
        isOrdered
        bones={{ rows: 2 }}
        heads={['User', 'New recipient', 'Requested by', 'Takes effect', { hidden: 'Actions' }]}
        empty={<Empty icon="arrow" title="No change is waiting" />}
      >
        {(change) => (
          <ChangeRow
            key={change.id}
            change={change}
            onApprove={change.mayApprove ? () => approve.mutate(change) : null}
            onWithdraw={isAdmin ? () => withdraw.mutate(change) : null}
          />
        )}
      </ListView>
      <HoldSetting />
    </Page>
  )
}

/** Where the user's deposits go until the change takes effect. An approver must see it, so a failed read is shown. */
export function CurrentIntent({ userId }: { userId: string }) {
  const { organization } = useHere()
  const tokens = choicesOf(useTokens())
  const queryKey = ['current intent', organization.id, userId]
  const query = useQuery({ queryKey, queryFn: () => findIntent(userId) })
  return (
    <Loaded of={query} bones={<Bones rows={1} height={12} />}>
      {(target) =>
        target && (
          <div className="sub tiny breaks">
            Until then: <TargetWords target={target} tokens={tokens} />
          </div>
        )
      }
    </Loaded>
  )
}

type RowProps = { change: HeldChangeView; onApprove: (() => void) | null; onWithdraw: (() => void) | null }
const ChangeRow = ({ change, onApprove, onWithdraw }: RowProps) => (
  <tr>
    <td className="strong wrap" style={{ minWidth: 80 }}>
      <Link href={`/address?user=${encodeURIComponent(change.userId)}`} className="rowlink wrap">
        {change.userId}
      </Link>
    </td>
    {/* Shown whole, because an address with the same beginning and end is easily made. */}
    <td className="wrap whole">
      <Hash value={change.targetAddress} kind="address" shown={change.targetAddress} />
      <div className="sub tiny breaks">
        {chainName(change.targetChainKey)}, token {change.targetTokenAddress}
      </div>
      <div className="sub tiny breaks">
        {change.refundAddress === null ? 'no refund address' : `refunds to ${change.refundAddress}`}
      </div>
      <CurrentIntent userId={change.userId} />
    </td>
    <td className="wrap" data-label="By">
      {change.askedBy}
      <div className="sub tiny">
        <Ago at={change.askedAt} />
      </div>
    </td>
    <td className="whole" data-label="Takes effect">
      {change.from === null ? 'once a second member approves it' : exact(new Date(change.from).getTime())}
      {change.objection && <div className="sub tiny">{change.objection}.</div>}
    </td>
    <td className="right whole">
      <span className="row end">
        {onApprove && (
          <Button
            size="compact-sm"
            onClick={onApprove}
            aria-label={`Approve the recipient change for ${change.userId}`}
          >
            Approve
          </Button>
        )}
        {onWithdraw && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={onWithdraw}
            aria-label={`Withdraw the recipient change for ${change.userId}`}
          >
            Withdraw
          </Button>
        )}
      </span>
    </td>
  </tr>
)
