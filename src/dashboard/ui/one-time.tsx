import { Button, Checkbox } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Copy } from './copy'
import { Dialog } from './dialog'

type Props = {
  title: string
  /** The name of the value, as in "Copy API key". */
  what: string
  value: string
  lead: ReactNode
  /** The confirmation that the value is stored. */
  stored: string
  children?: ReactNode
  onClose: () => void
}

/** Shows a secret once. It closes only after the person confirms that it is stored. */
export function OneTime({ title, what, value, lead, stored, children, onClose }: Props) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog title={title} isOpen isLocked onClose={onClose}>
      <div className="stack">
        <p className="small">{lead}</p>
        <div className="secret">
          <code className="code breaks" data-secret>
            {value}
          </code>
          <Copy value={value} what={what} />
        </div>
        {children}
        <Checkbox label={stored} checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
        <Button disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
