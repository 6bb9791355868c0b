import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api'
import { useHere } from '../../session'
import { Dialog } from '../../ui/dialog'
import { Trouble } from '../../ui/parts'
import type { MemberRow } from './members'

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
      await client.invalidateQueries({ queryKey: ['members', organization.id] })
      onClose()
    },
  })
  return (
    <Dialog title={isYou ? `Leave ${organization.name}` : `Remove ${name}`} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          act.mutate()
        }}
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
        <Trouble error={act.error} />
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={typed !== word} loading={act.isPending}>
            {isYou ? 'Leave' : 'Remove'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
