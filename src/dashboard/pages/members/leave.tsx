import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { FormDialog } from '../../ui/form-dialog'
import { showToast } from '../../ui/toast'
import type { MemberRow } from './roles'

export function Leave({ member, onClose }: { member: MemberRow; onClose: () => void }) {
  const { organization } = useHere()
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const { personId, isYou, name, email } = member
  const word = isYou ? organization.name : email
  const act = useMutation({
    mutationFn: () =>
      isYou ? ask('/members/leave', { method: 'POST' }) : ask(`/members/${personId}`, { method: 'DELETE' }),
    onSuccess: async () => {
      if (isYou) location.assign('/app')
      else showToast(`${name} has been removed.`)
      await client.invalidateQueries({ queryKey: ['members', organization.id] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={isYou ? `Leave ${organization.name}` : `Remove ${name}`}
      action={isYou ? 'Leave' : 'Remove'}
      act={act}
      onClose={onClose}
      isReady={typed === word}
      color="red.9"
    >
      <p className="small">
        {isYou ? 'You lose' : `${name} loses`} access to {organization.name} immediately. Keys that{' '}
        {isYou ? 'you' : name} created keep working. Type <span className="strong">{word}</span> to confirm.
      </p>
      <TextInput
        label={isYou ? 'Name of the organization' : 'E-mail of the member'}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
        autoComplete="off"
      />
    </FormDialog>
  )
}
