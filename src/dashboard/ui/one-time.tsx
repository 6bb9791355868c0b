import { Button, Checkbox } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Copy } from './copy'
import { Dialog } from './dialog'

type Props = {
  title: string
  /** What the value is, as in "Copy API key". */
  what: string
  value: string
  lead: ReactNode
  /** What somebody who has stored it confirms. */
  stored: string
  children?: ReactNode
  onClose: () => void
}

/** Shows a secret that nobody can show again. It closes only once somebody says that it is stored. */
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
