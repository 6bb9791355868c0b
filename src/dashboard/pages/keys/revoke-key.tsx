import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api'
import type { KeyView } from '../../types'
import { Dialog } from '../../ui/dialog'
import { Trouble } from '../../ui/parts'
import { say } from '../../ui/toast'

export function RevokeKey({ apiKey, onClose }: { apiKey: KeyView; onClose: () => void }) {
  const { id, label } = apiKey
  const [typed, setTyped] = useState('')
  const revoke = useMutation({
    mutationFn: () => ask(`/keys/${id}/revoke`, { body: { label: typed } }),
    onSuccess: () => {
      say('Revoked. Requests with this key now get 401.')
      onClose()
    },
  })
  return (
    <Dialog title="Revoke key" isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          revoke.mutate()
        }}
      >
        <p className="small">
          Within a second every request with this key gets 401. This cannot be undone. Deposits and intents made with it
          go on. Type <span className="strong">{label}</span> to confirm.
        </p>
        <TextInput
          label="Label of the key"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
          autoComplete="off"
        />
        <Trouble error={revoke.error} />
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={typed !== label} loading={revoke.isPending}>
            Revoke key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
