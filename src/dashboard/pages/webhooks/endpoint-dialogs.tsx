import { Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { FormDialog } from '../../ui/form-dialog'
import { showToast } from '../../ui/toast'
import { disabledWords, type Endpoint, pathOf } from './endpoint-data'
import { EditEndpoint, NewEndpoint } from './endpoint-form'
import { ResendRange } from './resend'
import { OneTimeSecret, RotateSecret } from './secret-dialogs'
import { TestEndpoint } from './test-endpoint'

/** The actions on an endpoint. */
export type Act = 'edit' | 'test' | 'resend' | 'rotate' | 'switch' | 'delete'
export type Doing = { what: 'create' } | { what: Act; endpoint: Endpoint } | { what: 'show'; secret: string }

type ItemProps = { endpoint: Endpoint; onAct: (act: Act) => void }
export const EndpointMenuItems = ({ endpoint: { enabled }, onAct }: ItemProps) => (
  <>
    <Menu.Item onClick={() => onAct('edit')}>Edit</Menu.Item>
    <Menu.Item onClick={() => onAct('test')}>Send a test</Menu.Item>
    <Menu.Item onClick={() => onAct('resend')}>Resend events</Menu.Item>
    <Menu.Item onClick={() => onAct('rotate')}>Rotate the secret</Menu.Item>
    <Menu.Item onClick={() => onAct('switch')}>{enabled ? 'Disable' : 'Enable'}</Menu.Item>
    <Menu.Item color="red.9" onClick={() => onAct('delete')}>
      Delete
    </Menu.Item>
  </>
)

type Props = {
  doing: Doing | null
  onDo: (doing: Doing | null) => void
  /** Called after the endpoint is deleted. */
  onGone?: () => void
}
/** The dialog of the current action on an endpoint, if any. */
export function EndpointDialogs({ doing, onDo, onGone }: Props) {
  const { organization } = useHere()
  const client = useQueryClient()
  const renew = () => void client.invalidateQueries({ queryKey: ['webhooks', organization.id] })
  const end = () => {
    onDo(null)
    renew()
  }
  const show = (secret: string) => {
    onDo({ what: 'show', secret })
    renew()
  }
  switch (doing?.what) {
    case undefined:
      return null
    case 'create':
      return <NewEndpoint onClose={end} onMade={show} />
    case 'show':
      return <OneTimeSecret value={doing.secret} onClose={end} />
    case 'edit':
      return <EditEndpoint endpoint={doing.endpoint} onClose={end} />
    case 'test':
      return <TestEndpoint endpoint={doing.endpoint} onClose={end} />
    case 'resend':
      return <ResendRange endpoint={doing.endpoint} onClose={end} />
    case 'rotate':
      return <RotateSecret endpoint={doing.endpoint} onClose={end} onMade={show} />
    case 'switch':
      return <SwitchEndpoint endpoint={doing.endpoint} onClose={end} />
    case 'delete':
      return (
        <DeleteEndpoint
          endpoint={doing.endpoint}
          onClose={end}
          onDone={() => {
            end()
            onGone?.()
          }}
        />
      )
  }
}

/** Disables an endpoint, or enables it again. */
function SwitchEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { id, url, enabled, disabledReason } = endpoint
  const turn = useMutation({
    mutationFn: () => ask(pathOf(id), { method: 'PATCH', body: { enabled: !enabled } }),
    onSuccess: () => {
      showToast(
        enabled ? 'Disabled. It receives no more events.' : 'Enabled. Events from while it was disabled are sent now.',
      )
      onClose()
    },
  })
  return (
    <FormDialog
      title={enabled ? 'Disable endpoint' : 'Enable endpoint'}
      action={enabled ? 'Disable' : 'Enable'}
      act={turn}
      onClose={onClose}
    >
      <p className="small">
        <span className="strong wrap">{url}</span>
      </p>
      <p className="small">
        {enabled
          ? 'It receives no events until it is enabled again. It then gets the events of the last 7 days.'
          : `${disabledReason ? `${disabledWords(disabledReason)} ` : ''}Once enabled, it immediately gets what waits for a retry, and the events of the last 7 days that it missed while disabled. Events that had already failed stay failed until you resend them.`}
      </p>
    </FormDialog>
  )
}

type DeleteProps = { endpoint: Endpoint; onClose: () => void; onDone: () => void }
function DeleteEndpoint({ endpoint: { id, url }, onClose, onDone }: DeleteProps) {
  const remove = useMutation({
    mutationFn: () => ask(pathOf(id), { method: 'DELETE' }),
    onSuccess: () => {
      showToast('Deleted. It receives no more events.')
      onDone()
    },
  })
  return (
    <FormDialog title="Delete endpoint" action="Delete endpoint" act={remove} onClose={onClose} color="red.9">
      <p className="small">
        Events not yet delivered to <span className="strong wrap">{url}</span> are dropped, and its deliveries are no
        longer shown. This cannot be undone. To stop temporarily, disable it instead.
      </p>
    </FormDialog>
  )
}
