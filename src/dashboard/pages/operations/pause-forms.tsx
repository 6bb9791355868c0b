import { Button, Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, queryOf } from '../../api'
import { useTenantName } from '../../tenant'
import { Dialog } from '../../ui/dialog'
import { Trouble } from '../../ui/parts'
import { ReasonField } from '../../ui/reason-field'
import { say } from '../../ui/toast'
import { effectOf, scopeName } from './pause-scopes'
import { ScopeFields } from './scope-fields'

const spans = [
  { value: '', label: 'Until somebody ends it' },
  { value: '15', label: 'For 15 minutes' },
  { value: '60', label: 'For an hour' },
  { value: '1440', label: 'For a day' },
]

/** Both pages and the strip at their head show what changed. */
function useToldEverywhere(): () => void {
  const client = useQueryClient()
  return () => {
    for (const name of ['pauses', 'incidents', 'chains']) void client.invalidateQueries({ queryKey: [name] })
  }
}

/** @param props.scope what is paused, where that is settled; null: it is asked. */
export function BeginPause({ scope: given, onClose }: { scope: string | null; onClose: () => void }) {
  const nameOf = useTenantName()
  const tell = useToldEverywhere()
  const [chosen, setChosen] = useState<string | null>(null)
  const [minutes, setMinutes] = useState('')
  const [reason, setReason] = useState('')
  const scope = given ?? chosen
  const begin = useMutation({
    mutationFn: () => {
      const until = minutes ? new Date(Date.now() + Number(minutes) * 60_000).toISOString() : null
      return ask(`/operator/pauses/${encodeURIComponent(scope!)}`, { method: 'PUT', body: { reason, until } })
    },
    onSuccess: () => {
      say(`${scopeName(scope!, nameOf)}: paused within a second.`)
      tell()
      onClose()
    },
  })
  return (
    <Dialog title={given ? `Pause ${scopeName(given, nameOf)}` : 'Pause'} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          begin.mutate()
        }}
      >
        {!given && <ScopeFields onChange={setChosen} />}
        {scope && <p className="small">{effectOf(scope)} Deposits are still found, and what is signed finishes.</p>}
        <Select
          label="How long"
          data={spans}
          value={minutes}
          onChange={(value) => setMinutes(value ?? '')}
          allowDeselect={false}
        />
        <ReasonField value={reason} onChange={setReason} isFirst={given !== null} />
        <Trouble error={begin.error} />
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color="orange.9"
            loading={begin.isPending}
            disabled={scope === null || reason.trim().length < 3}
          >
            Pause{scope && ` ${scope === 'all' ? 'everything' : scopeName(scope, nameOf)}`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function EndPause({ scope, onClose }: { scope: string; onClose: () => void }) {
  const nameOf = useTenantName()
  const tell = useToldEverywhere()
  const [reason, setReason] = useState('')
  const end = useMutation({
    mutationFn: () => ask(`/operator/pauses/${encodeURIComponent(scope)}${queryOf({ reason })}`, { method: 'DELETE' }),
    onSuccess: () => {
      say('Resumed. What waited goes on.')
      tell()
      onClose()
    },
  })
  return (
    <Dialog title={`Resume: ${scopeName(scope, nameOf)}`} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          end.mutate()
        }}
      >
        <ReasonField value={reason} onChange={setReason} isFirst />
        <Trouble error={end.error} />
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={end.isPending} disabled={reason.trim().length < 3}>
            Resume
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
