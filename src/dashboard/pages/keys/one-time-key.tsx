import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { Copy } from '../../ui/copy'
import { Dialog } from '../../ui/dialog'

/** The only time that a key's value is anywhere but with whom it belongs to. */
export function OneTimeKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog title="Copy your key now" isOpen isLocked onClose={onClose}>
      <div className="stack">
        <p className="small">
          This is the only time that it is shown. Nobody can show it again: if it is lost, roll the key.
        </p>
        <div className="secret">
          <code className="code breaks" data-secret>
            {value}
          </code>
          <Copy value={value} what="API key" />
        </div>
        <Checkbox
          label="I have stored this key"
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <Button disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
