import { Button, type MantineColor } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Dialog } from './dialog'
import { Trouble } from './parts'

/** What the form sends; a mutation without variables fits. */
type Act = { mutate: () => void; isPending: boolean; error: unknown }
type Submit = { act: Act; onSubmit?: never } | { act?: never; onSubmit: (event: FormEvent<HTMLFormElement>) => void }

type Props = Submit & {
  title: string
  /** The label of the submit button. Null if the dialog can only be closed. */
  action: string | null
  onClose: () => void
  children?: ReactNode
  isOpen?: boolean
  /** Whether the form is complete enough to send. */
  isReady?: boolean
  isPending?: boolean
  error?: unknown
  color?: MantineColor
  cancel?: string
  size?: string
}

/** A dialog with a form: fields, errors, cancel button and submit button, in this order. */
export const FormDialog = ({
  title,
  action,
  act,
  onSubmit = () => act!.mutate(),
  onClose,
  children,
  isOpen = true,
  isReady = true,
  isPending = act?.isPending ?? false,
  error = act?.error,
  color = 'indigo',
  cancel = 'Cancel',
  size = 'md',
}: Props) => (
  <Dialog title={title} isOpen={isOpen} onClose={onClose} size={size}>
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        // Otherwise React passes the event to a form that contains this dialog in the component tree.
        event.stopPropagation()
        onSubmit(event)
      }}
    >
      {children}
      <Trouble error={error} />
      <div className="row end dialog-acts">
        <Button variant="default" onClick={onClose}>
          {action === null ? 'Close' : cancel}
        </Button>
        {action !== null && (
          <Button type="submit" color={color} loading={isPending} disabled={!isReady}>
            {action}
          </Button>
        )}
      </div>
    </form>
  </Dialog>
)
