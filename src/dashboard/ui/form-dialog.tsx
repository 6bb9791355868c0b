import { Button, type MantineColor } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Dialog } from './dialog'
import { Trouble } from './parts'

type Props = {
  title: string
  /** The label of the button that submits the form. Null where nothing is left to do but to close the dialog. */
  action: string | null
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onClose: () => void
  children?: ReactNode
  isOpen?: boolean
  /** Whether enough is filled in for the form to be sent. */
  isReady?: boolean
  isPending?: boolean
  error?: unknown
  color?: MantineColor
  cancel?: string
  size?: string
}

/**
 * A dialog with a form: the fields, what went wrong, the button that cancels and the button that submits, in this
 * order.
 */
export const FormDialog = ({
  title,
  action,
  onSubmit,
  onClose,
  children,
  isOpen = true,
  isReady = true,
  isPending = false,
  error = null,
  color = 'indigo',
  cancel = 'Cancel',
  size = 'md',
}: Props) => (
  <Dialog title={title} isOpen={isOpen} onClose={onClose} size={size}>
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        // Otherwise React passes the event on to a form that contains this dialog in the tree of components.
        event.stopPropagation()
        onSubmit(event)
      }}
    >
      {children}
      <Trouble error={error} />
      <div className="row end">
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
