import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../data/api'
import type { KeyView } from '../../data/types'
import { FormDialog } from '../../ui/form-dialog'
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
    <FormDialog
      title={`Revoke the key ${label}`}
      action="Revoke key"
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
      isReady={typed === label}
      isPending={revoke.isPending}
      error={revoke.error}
      color="red.9"
    >
      <p className="small">
        Within a second, every request with this key is refused with 401. This cannot be undone. Deposits and intents
        created with it continue. Type <span className="strong">{label}</span> to confirm.
      </p>
      <TextInput
        label="Label of the key"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
        autoComplete="off"
      />
    </FormDialog>
  )
}
