import { Button, Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { chains } from '../../../domain/chain'
import { ask, queryOf } from '../../api'
import { chainName } from '../../format'
import { useHere } from '../../session'
import { Dialog } from '../../ui/dialog'
import { Card, Empty, Trouble } from '../../ui/parts'
import { ReasonField } from '../../ui/reason-field'
import { Ago } from '../../ui/time'
import { say } from '../../ui/toast'

type Pause = { scope: string; reason: string; until: string | null; createdAt: string; organizationId?: string }

const chainScopes = Object.entries(chains).map(([key, { id }]) => ({
  value: `chain:${id}`,
  label: `Chain ${chainName(key)}`,
}))
const own = [{ value: 'organization', label: 'This organization' }]
const platform = [
  { value: 'all', label: 'Everything' },
  ...chainScopes,
  { value: 'provider:lifi', label: 'Provider lifi' },
]
const spans = [
  { value: '', label: 'Until somebody ends it' },
  { value: '15', label: 'For 15 minutes' },
  { value: '60', label: 'For an hour' },
  { value: '1440', label: 'For a day' },
]
const nameOf = (scope: string): string => [...own, ...platform].find(({ value }) => value === scope)?.label ?? scope

/** Deposits are still found and wait; nothing new is signed, and what is signed finishes. */
export function Pauses() {
  const { organization } = useHere()
  const client = useQueryClient()
  const queryKey = ['pauses', organization.id]
  const pauses = useQuery({ queryKey, queryFn: () => ask<Pause[]>('/operator/pauses'), refetchInterval: 5_000 })
  const [asking, setAsking] = useState<{ end: Pause } | 'begin' | null>(null)
  const close = () => {
    setAsking(null)
    void client.invalidateQueries({ queryKey })
  }
  return (
    <Card
      title="Pauses"
      side={
        <Button size="compact-sm" variant="default" onClick={() => setAsking('begin')}>
          Pause something
        </Button>
      }
    >
      <Trouble error={pauses.error} />
      {pauses.data?.length === 0 ? (
        <Empty icon="play" title="Nothing is paused">
          <p>While paused, deposits are found and wait safely; nothing new is signed.</p>
        </Empty>
      ) : (
        <ul className="stack">
          {pauses.data?.map((pause) => (
            <li key={`${pause.scope}${pause.organizationId ?? ''}`} className="row apart">
              <div>
                <span className="pill t-warn">{nameOf(pause.scope)}</span>{' '}
                <span className="sub tiny">{pause.organizationId}</span>
                <div className="small">{pause.reason}</div>
                <div className="sub tiny">
                  since <Ago at={pause.createdAt} />
                  {pause.until && (
                    <>
                      , ends <Ago at={pause.until} />
                    </>
                  )}
                </div>
              </div>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => setAsking({ end: pause })}
                aria-label={`End the pause of ${nameOf(pause.scope)}`}
              >
                Resume
              </Button>
            </li>
          ))}
        </ul>
      )}
      {asking === 'begin' && <Begin onClose={close} />}
      {asking !== null && asking !== 'begin' && <End pause={asking.end} onClose={close} />}
    </Card>
  )
}

function Begin({ onClose }: { onClose: () => void }) {
  const { organization } = useHere()
  const [scope, setScope] = useState(organization.isPlatform ? 'all' : 'organization')
  const [minutes, setMinutes] = useState('')
  const [reason, setReason] = useState('')
  const begin = useMutation({
    mutationFn: () => {
      const until = minutes ? new Date(Date.now() + Number(minutes) * 60_000).toISOString() : null
      return ask(`/operator/pauses/${scope}`, { method: 'PUT', body: { reason, until } })
    },
    onSuccess: () => {
      say(`${nameOf(scope)} is paused within a second.`)
      onClose()
    },
  })
  return (
    <Dialog title="Pause" isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          begin.mutate()
        }}
      >
        <Select
          label="What"
          data={organization.isPlatform ? [...platform, ...own] : own}
          value={scope}
          onChange={(value) => setScope(value ?? scope)}
          allowDeselect={false}
        />
        <Select
          label="How long"
          data={spans}
          value={minutes}
          onChange={(value) => setMinutes(value ?? '')}
          allowDeselect={false}
        />
        <ReasonField value={reason} onChange={setReason} />
        <Trouble error={begin.error} />
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="orange.9" loading={begin.isPending} disabled={reason.trim().length < 3}>
            Pause
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function End({ pause, onClose }: { pause: Pause; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const end = useMutation({
    mutationFn: () => ask(`/operator/pauses/${pause.scope}${queryOf({ reason })}`, { method: 'DELETE' }),
    onSuccess: () => {
      say('Resumed. What waited goes on.')
      onClose()
    },
  })
  return (
    <Dialog title={`Resume ${nameOf(pause.scope)}`} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          end.mutate()
        }}
      >
        <ReasonField value={reason} onChange={setReason} />
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
