import { Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, queryOf } from '../../data/api'
import { deviceClock } from '../../data/device-clock'
import { useTenantName } from '../../data/tenant'
import { FormDialog } from '../../ui/form-dialog'
import { isReason, ReasonField } from '../../ui/reason-field'
import { showToast } from '../../ui/toast'
import { effectOf, scopeName } from './pause-scopes'
import { ScopeFields } from './scope-fields'

const spans = [
  { value: '', label: 'Until it is resumed' },
  { value: '15', label: 'For 15 minutes' },
  { value: '60', label: 'For 1 hour' },
  { value: '1440', label: 'For 24 hours' },
]

/** Refreshes all views of pauses: the operations page and the strip above every page. */
function useRefreshEverywhere(): () => void {
  const client = useQueryClient()
  return () => {
    for (const name of ['pauses', 'incidents', 'chains']) void client.invalidateQueries({ queryKey: [name] })
  }
}

/** @param props.scope The scope to pause; null to ask for it. */
export function BeginPause({ scope: given, onClose }: { scope: string | null; onClose: () => void }) {
  const nameOf = useTenantName()
  const refresh = useRefreshEverywhere()
  const [chosen, setChosen] = useState<string | null>(null)
  const [minutes, setMinutes] = useState('')
  const [reason, setReason] = useState('')
  const scope = given ?? chosen
  const begin = useMutation({
    mutationFn: () => {
      const until = minutes ? new Date(deviceClock() + Number(minutes) * 60_000).toISOString() : null
      return ask(`/operator/pauses/${encodeURIComponent(scope!)}`, {
        method: 'PUT',
        // A pause that is in force is not replaced: none was shown.
        body: { reason, until, version: null },
      })
    },
    onError: refresh,
    onSuccess: () => {
      showToast(`${scopeName(scope!, nameOf)}: paused within a second.`)
      refresh()
      onClose()
    },
  })
  return (
    <FormDialog
      title={given ? `Pause ${given === 'all' ? 'everything' : scopeName(given, nameOf)}` : 'Pause'}
      action={scope ? `Pause ${scope === 'all' ? 'everything' : scopeName(scope, nameOf)}` : 'Pause'}
      onSubmit={() => begin.mutate()}
      onClose={onClose}
      isReady={scope !== null && isReason(reason)}
      isPending={begin.isPending}
      error={begin.error}
      color="orange.9"
    >
      {!given && <ScopeFields onChange={setChosen} />}
      {scope && (
        <p className="small">{effectOf(scope)} Deposits are still found, and what has been signed is finished.</p>
      )}
      <Select label="Duration" data={spans} value={minutes} onChange={(value) => setMinutes(value ?? '')} />
      <ReasonField value={reason} onChange={setReason} isFirst={given !== null} />
    </FormDialog>
  )
}

export function EndPause({ scope, version, onClose }: { scope: string; version: string; onClose: () => void }) {
  const nameOf = useTenantName()
  const refresh = useRefreshEverywhere()
  const [reason, setReason] = useState('')
  const end = useMutation({
    mutationFn: () =>
      ask(`/operator/pauses/${encodeURIComponent(scope)}${queryOf({ reason, version })}`, { method: 'DELETE' }),
    onError: refresh,
    onSuccess: () => {
      showToast('Resumed. Waiting deposits continue.')
      refresh()
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Resume ${scope === 'all' ? 'everything' : scopeName(scope, nameOf)}`}
      action="Resume"
      onSubmit={() => end.mutate()}
      onClose={onClose}
      isReady={isReason(reason)}
      isPending={end.isPending}
      error={end.error}
    >
      <ReasonField value={reason} onChange={setReason} isFirst />
    </FormDialog>
  )
}
