import { Button, Menu, SegmentedControl, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { CurrentIntentView } from '../../../http/views/execution-full'
import { ask } from '../../data/api'
import { chainName } from '../../data/format'
import type { QueryState } from '../../data/read'
import { useHere } from '../../data/session'
import type { DepositRow, ExecutionDetail, ExecutionRow } from '../../data/types'
import { FormDialog } from '../../ui/form-dialog'
import { LinkedIds } from '../../ui/linked-ids'
import { Loaded } from '../../ui/loaded'
import { Bones } from '../../ui/parts'
import { isReason, ReasonField } from '../../ui/reason-field'
import { showToast } from '../../ui/toast'
import { mayBe, redrivePageOf, type Verb, verbs } from './verbs'

type Actable = Pick<ExecutionRow, 'id' | 'seq' | 'status' | 'completedAt' | 'funds' | 'next' | 'cause'>
type ActionsProps = { execution: Actable; onDone: () => void; size?: 'sm' | 'compact-sm' }
/** The actions for an execution. Only sensible ones are offered; the server decides. */
export function Actions({ execution, onDone, size = 'sm' }: ActionsProps) {
  const { isOperator } = useHere()
  const { begin, dialog } = useAct(onDone)
  const { first, rest } = mayBe(execution)
  if (!isOperator) return null
  return (
    <>
      {first && (
        <Button
          size={size}
          onClick={() => begin(first, execution)}
          color={first === 'dead-letter' ? 'red' : 'indigo'}
          variant={first === 'dead-letter' ? 'outline' : 'filled'}
        >
          {verbs[first].label}
        </Button>
      )}
      {rest.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size={size} variant="default">
              More
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map((each) => (
              <Menu.Item key={each} onClick={() => begin(each, execution)}>
                {verbs[each].label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {dialog}
    </>
  )
}

/** What is acted on: an execution, or a deposit before it. An approval and an end name its shown state by `seq`. */
type Subject = Pick<ExecutionRow, 'id' | 'seq' | 'next'>
type Opened = { verb: Verb; subject: Subject }

/** The page refreshes while the dialog is open. The dialog keeps the subject from its opening. */
function useAct(onDone: () => void) {
  const [opened, setOpened] = useState<Opened | null>(null)
  return {
    begin: (verb: Verb, subject: Subject) => setOpened({ verb, subject }),
    dialog: opened && <Act {...opened} onClose={() => setOpened(null)} onDone={onDone} />,
  }
}

function Act({ verb, subject, onClose, onDone }: Opened & { onClose: () => void; onDone: () => void }) {
  const { id, seq, next } = subject
  const [reason, setReason] = useState('')
  const [intent, setIntent] = useState('CURRENT')
  const [amountOutMin, setAmountOutMin] = useState('')
  const [, go] = useLocation()
  const { label, lead, done } = verbs[verb]
  const namesState = verb === 'approve' || verb === 'dead-letter'
  const pays = verb === 'redrive' || verb === 'refund'
  const paysByIntent = verb === 'refund' || (verb === 'redrive' && intent === 'CURRENT')
  const present = usePresentIntent(id, pays)
  const act = useMutation({
    mutationFn: () =>
      ask<Pick<ExecutionRow, 'id'>>(`/operator/executions/${encodeURIComponent(id)}/${verb}`, {
        body: {
          reason,
          ...(verb === 'redrive' && { intent }),
          ...(verb === 'approve' && { amountOutMin }),
          ...(namesState && { seq }),
          ...(pays && present.data && { intentVersion: present.data.version }),
        },
      }),
    onSuccess: ({ id }) => {
      showToast(done)
      onClose()
      if (pays) go(`/executions/${encodeURIComponent(id)}`)
    },
    onError: () => void present.refetch(),
    onSettled: onDone,
  })
  return (
    <FormDialog
      title={label}
      action={label}
      act={act}
      onClose={onClose}
      isReady={
        isReason(reason) &&
        isPayeeSeen(present, paysByIntent) &&
        (verb !== 'approve' || /^[1-9][0-9]{0,77}$/.test(amountOutMin))
      }
      color={verb === 'dead-letter' ? 'red' : 'indigo'}
    >
      <p className="small">{lead}</p>
      {namesState && (
        <p className="small sub wrap">
          <LinkedIds>{next.message}</LinkedIds>
        </p>
      )}
      {verb === 'redrive' && <WhichIntent value={intent} onChange={setIntent} />}
      {paysByIntent && (
        <Loaded of={present} bones={<Bones rows={1} height={16} />}>
          {(current) => <Payee intent={current} isRefund={verb === 'refund'} />}
        </Loaded>
      )}
      {verb === 'approve' && <LeastAmount value={amountOutMin} onChange={setAmountOutMin} />}
      <ReasonField value={reason} onChange={setReason} isFirst={verb !== 'approve'} />
    </FormDialog>
  )
}

/** Whether the intent that names the payee has been read. A payment to an unseen payee is not sent. */
export const isPayeeSeen = ({ data }: Pick<QueryState<unknown>, 'data'>, paysByIntent: boolean): boolean =>
  !paysByIntent || Boolean(data)

type Intent = typeof CurrentIntentView.infer

/**
 * Returns the current intent of the execution's own account, which the action names. Another organization can have a
 * user of the same id.
 */
export const presentIntentOf = async (read: (path: string) => Promise<unknown>, id: string): Promise<Intent | null> =>
  ((await read(`/executions/${encodeURIComponent(id)}`)) as ExecutionDetail).currentIntent

/** Its own read: the payee in an open dialog stays as the person saw it while the page refreshes. */
function usePresentIntent(id: string, pays: boolean) {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['present intent', organization.id, id],
    queryFn: () => presentIntentOf(ask, id),
    enabled: pays,
    refetchOnWindowFocus: false,
  })
}

export const Payee = ({ intent, isRefund }: { intent: Intent | null; isRefund: boolean }) =>
  intent ? (
    <p className="small">
      Pays{' '}
      <code className="code breaks">{(isRefund ? intent.refundAddress : intent.targetAddress) ?? 'no address'}</code>
      {!isRefund && ` on ${chainName(intent.targetChainKey)}`}, by version {intent.version} of the intent.
    </p>
  ) : (
    <p className="small">Not possible: the user has no current intent, which names the payee.</p>
  )

type FieldProps = { value: string; onChange: (value: string) => void }

const WhichIntent = ({ value, onChange }: FieldProps) => (
  <div className="stack tight">
    <span className="small strong" id="which-intent">
      Destination
    </span>
    <SegmentedControl
      aria-labelledby="which-intent"
      value={value}
      onChange={onChange}
      data={[
        { value: 'CURRENT', label: 'The current intent' },
        { value: 'ORIGINAL', label: 'The original intent' },
      ]}
    />
  </div>
)

const LeastAmount = ({ value, onChange }: FieldProps) => (
  <TextInput
    label="Minimum output"
    description="In atomic units of the target token"
    value={value}
    onChange={(event) => onChange(event.currentTarget.value.trim())}
    inputMode="numeric"
    pattern="[1-9][0-9]*"
    required
    data-autofocus
  />
)

type Approvable = Pick<DepositRow, 'id' | 'executionId' | 'seq' | 'next'>

/** Approves an amount for a deposit that is not shown as an execution yet. */
export function ApproveDeposit({ of, onDone }: { of: Approvable; onDone: () => void }) {
  const { isOperator } = useHere()
  const { begin, dialog } = useAct(onDone)
  if (!isOperator) return null
  const redrive = redrivePageOf(of)
  if (redrive) return <Link href={redrive}>{verbs.approve.label}</Link>
  return (
    <>
      <Button size="compact-sm" onClick={() => begin('approve', of)}>
        {verbs.approve.label}
      </Button>
      {dialog}
    </>
  )
}
