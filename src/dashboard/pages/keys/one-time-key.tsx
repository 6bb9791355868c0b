import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { Copy } from '../../ui/copy'
import { Dialog } from '../../ui/dialog'

/** Shows the value of a new key. It is shown this once and stored nowhere. */
export function OneTimeKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  const curl = `curl -s ${location.origin}/api/chains -H 'x-api-key: ${value}'`
  return (
    <Dialog title="Copy your key now" isOpen isLocked onClose={onClose}>
      <div className="stack">
        <p className="small">The key is shown only once. Nobody can show it again; if it is lost, roll the key.</p>
        <div className="secret">
          <code className="code breaks" data-secret>
            {value}
          </code>
          <Copy value={value} what="API key" />
        </div>
        <p className="small">Try it in a terminal while the whole key is visible:</p>
        <div className="secret">
          <pre className="code breaks" tabIndex={0} data-curl>
            {curl}
          </pre>
          <Copy value={curl} what="curl command" />
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
