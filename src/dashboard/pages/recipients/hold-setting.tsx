import { Button, NumberInput, Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { holdHours } from '../../../domain/tenant/recipient-hold'
import type { RecipientHoldView } from '../../../http/dashboard/held-changes'
import { ask } from '../../data/api'
import { exact } from '../../data/format'
import { useHere } from '../../data/session'
import { Bones, Card, Note, Trouble } from '../../ui/parts'
import { say } from '../../ui/toast'

type Hold = RecipientHoldView['hold']
type Kind = 'NONE' | 'DELAY' | 'APPROVAL'

const kinds: Record<Kind, [label: string, description: string]> = {
  NONE: [
    'Nothing: each counts at once',
    'Whoever has a key, or an owner or admin who signed in lately, can redirect deposits at once.',
  ],
  DELAY: ['A delay', 'Each change waits, owners and admins are written to, and each of them can withdraw it.'],
  APPROVAL: [
    'A second member approves',
    'An owner or admin approves each change: not the person who asked or made the key that asked, nor a person whom they invited or promoted. Both must have been owner or admin for 24 hours.',
  ],
}
const kindOptions = Object.entries(kinds).map(([value, [label]]) => ({ value, label }))
const usualHours = 24

const wordsOf = (hold: Hold): string => {
  if (hold === null) return 'each change counts at once'
  return hold.kind === 'DELAY' ? `each change waits for ${hold.hours} h` : 'a second member approves each change'
}

/** How changes of recipients are held back. Everybody sees it; an owner decides. */
export function HoldSetting() {
  const { organization } = useHere()
  const queryKey = ['recipient-hold', organization.id]
  const stored = useQuery({ queryKey, queryFn: () => ask<RecipientHoldView>('/recipient-hold') })
  return (
    <Card title="What holds a change back">
      <div className="stack">
        <p className="small">
          It concerns users who have an intent already; a new user’s intent counts at once. What waits can be approved
          or withdrawn above.
        </p>
        <Trouble error={stored.error} retry={() => void stored.refetch()} />
        {stored.data?.next && (
          <Note tone="info">
            From {exact(new Date(stored.data.next.from).getTime())} on, {wordsOf(stored.data.next.hold)}. A safeguard is
            given up only after the time for which it holds changes back.
          </Note>
        )}
        {!stored.data && !stored.error && <Bones rows={2} />}
        {stored.data && organization.role !== 'owner' && (
          <p className="small">At present {wordsOf(stored.data.hold)}. An owner of the organization can change this.</p>
        )}
        {stored.data && organization.role === 'owner' && (
          <Form key={JSON.stringify(stored.data)} stored={stored.data} queryKey={queryKey} />
        )}
      </div>
    </Card>
  )
}

function Form({ stored: { hold }, queryKey }: { stored: RecipientHoldView; queryKey: string[] }) {
  const client = useQueryClient()
  const [kind, setKind] = useState<Kind>(hold?.kind ?? 'NONE')
  const [hours, setHours] = useState<number | string>(hold?.kind === 'DELAY' ? hold.hours : usualHours)
  const save = useMutation({
    mutationFn: () =>
      ask<RecipientHoldView>('/recipient-hold', {
        method: 'PUT',
        body: { kind, ...(kind === 'DELAY' && { hours: Number(hours) }) },
      }),
    onSuccess: (saved) => {
      say('Saved.')
      client.setQueryData(queryKey, saved)
    },
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Select
        label="Safeguard"
        description={kinds[kind][1]}
        data={kindOptions}
        value={kind}
        allowDeselect={false}
        onChange={(value) => value !== null && setKind(value as Kind)}
      />
      {kind === 'DELAY' && (
        <NumberInput
          label="Hours"
          value={hours}
          onChange={setHours}
          min={holdHours.least}
          max={holdHours.most}
          allowDecimal={false}
          w={140}
          required
          withAsterisk={false}
        />
      )}
      <Trouble error={save.error} />
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}
