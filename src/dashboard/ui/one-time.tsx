import { Button, Checkbox } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Copy } from './copy'
import { Dialog } from './dialog'

type StoredProps = {
  title: string
  /** The confirmation that what is shown is stored. */
  stored: string
  children: ReactNode
  onClose: () => void
}

/** Shows something once. It closes only after the person confirms that it is stored. */
export function StoredOnce({ title, stored, children, onClose }: StoredProps) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog title={title} isOpen isLocked onClose={onClose}>
      <div className="stack">
        {children}
        <Checkbox label={stored} checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
        <div className="row end dialog-acts">
          <Button disabled={!isStored} onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

type Props = Omit<StoredProps, 'children'> & {
  /** The name of the value, as in "Copy API key". */
  what: string
  value: string
  lead: ReactNode
  children?: ReactNode
}

/** Shows a secret once. */
export const OneTime = ({ what, value, lead, children, ...stored }: Props) => (
  <StoredOnce {...stored}>
    <p className="small">{lead}</p>
    <div className="secret">
      <code className="code breaks" data-secret>
        {value}
      </code>
      <Copy value={value} what={what} />
    </div>
    {children}
  </StoredOnce>
)
