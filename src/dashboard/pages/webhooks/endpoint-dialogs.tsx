import { Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useHere } from '../../data/session'
import { DeleteEndpoint } from './delete-endpoint'
import type { Endpoint } from './endpoint-data'
import { EditEndpoint, NewEndpoint } from './endpoint-form'
import { ResendRange } from './resend'
import { OneTimeSecret, RotateSecret } from './secret-dialogs'
import { SwitchEndpoint } from './switch-endpoint'
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
