import { Button, type MantineColor } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Dialog } from './dialog'
import { Trouble } from './parts'

type Props = {
  title: string
  /** What the button that does it says; null: there is nothing to do any more but to close it. */
  action: string | null
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onClose: () => void
  children?: ReactNode
  isOpen?: boolean
  /** Whether it is filled in so far that it may be sent. */
  isReady?: boolean
  isPending?: boolean
  error?: unknown
  color?: MantineColor
  cancel?: string
  size?: string
}

/** A question with its answers: what is filled in, what went wrong, the way out, and what does it, in this order. */
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
        // The form around it, in the tree of components, is another one.
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
