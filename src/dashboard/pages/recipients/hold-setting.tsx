import { Button, NumberInput, Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { holdHours } from '../../../domain/tenant/recipient-hold'
import type { RecipientHoldView } from '../../../http/dashboard/held-changes'
import { ask } from '../../data/api'
import { exact } from '../../data/format'
import { useHere } from '../../data/session'
import { Loaded } from '../../ui/loaded'
import { Bones, Card, Note, Trouble } from '../../ui/parts'
import { showToast } from '../../ui/toast'

type Hold = RecipientHoldView['hold']
type Kind = 'NONE' | 'DELAY' | 'APPROVAL'

const kinds: Record<Kind, [label: string, description: string]> = {
  NONE: [
    'None: each change takes effect immediately',
    'Anyone with a key, or an owner or admin with a recent sign-in, can redirect deposits immediately.',
  ],
  DELAY: ['A delay', 'Each change waits. Owners and admins are e-mailed, and any of them can withdraw it.'],
  APPROVAL: [
    'A second member approves',
    'A second owner or admin approves each change. The approver cannot be the requester, the creator of the requesting key, or anyone whom they invited, promoted or admitted by single sign-on. Both must have been owner or admin for 24 hours.',
  ],
}
const kindOptions = Object.entries(kinds).map(([value, [label]]) => ({ value, label }))
const usualHours = 24

const wordsOf = (hold: Hold): string => {
  if (hold === null) return 'each change takes effect immediately'
  return hold.kind === 'DELAY' ? `each change waits for ${hold.hours} h` : 'a second member approves each change'
}

/** The safeguard for changes of recipients. All members see it; an owner decides. */
export function HoldSetting() {
  const { organization } = useHere()
  const queryKey = ['recipient-hold', organization.id]
  const stored = useQuery({ queryKey, queryFn: () => ask<RecipientHoldView>('/recipient-hold') })
  return (
    <Card title="Delay or approval">
      <div className="stack">
        <p className="small">
          This applies to users with an existing intent. A new user’s intent takes effect immediately. Pending changes
          can be approved or withdrawn above.
        </p>
        <Loaded of={stored} bones={<Bones rows={2} />}>
          {(setting) => <Stored stored={setting} queryKey={queryKey} />}
        </Loaded>
      </div>
    </Card>
  )
}

function Stored({ stored, queryKey }: { stored: RecipientHoldView; queryKey: string[] }) {
  const { organization } = useHere()
  return (
    <>
      {stored.next && (
        <Note tone="info">
          From {exact(new Date(stored.next.from).getTime())} on, {wordsOf(stored.next.hold)}. Lowering or ending a
          safeguard waits for the current delay.
        </Note>
      )}
      {organization.role === 'owner' ? (
        <Form key={JSON.stringify(stored)} stored={stored} queryKey={queryKey} />
      ) : (
        <p className="small">Now {wordsOf(stored.hold)}. An owner of the organization can change this.</p>
      )}
    </>
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
      showToast('Saved.')
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
