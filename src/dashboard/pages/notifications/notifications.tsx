import { Button, Checkbox, Select, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { NotificationsView } from '../../../http/dashboard/notifications'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { Loaded } from '../../ui/loaded'
import { Bones, Card, Note, Page, Trouble } from '../../ui/parts'
import { showToast } from '../../ui/toast'

type Settings = Omit<NotificationsView, 'canMail'>

const paces: Record<Settings['pace'], [label: string, description: string]> = {
  SOON: ['Soon', 'Within a few minutes, with at most one e-mail an hour for everything since the last one.'],
  DAILY: ['Once a day', 'One e-mail after 08:00 for everything since the last one.'],
  OFF: ['Off', 'You get no e-mail about this organization.'],
}
const paceOptions = Object.entries(paces).map(([value, [label]]) => ({ value, label }))
const kinds: Record<Settings['kinds'][number], string> = {
  CHANGE_HELD: 'A change of recipient is pending and can be withdrawn (sent soon, also in quiet hours)',
  MEMBER_APPOINTED: 'A member became an owner or admin',
  EXECUTION_ENDED: 'An execution ended without a delivery and needs action',
  EXECUTION_WAITS: 'A deposit has waited for too long',
  QUOTA: '80 % or all of the month’s executions are used',
  KEY_EXPIRES: 'An API key expires within seven days',
  PAUSED: 'Routing is paused for this organization, for a chain or for everyone',
  ENDPOINT_DISABLED: 'A webhook endpoint was disabled (for owners and admins, in a separate e-mail)',
}
const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}))
const usual = { from: 22, to: 7 }

/** The person's e-mail settings for this organization. */
export default function Notifications() {
  const { organization } = useHere()
  const queryKey = ['notifications', organization.id]
  const stored = useQuery({ queryKey, queryFn: () => ask<NotificationsView>('/notifications') })
  return (
    <Page title="Notifications" lead={`Which e-mails you get about ${organization.name}, and when.`}>
      <Loaded of={stored} bones={<Bones rows={5} />}>
        {(notificationsView) => <Form stored={notificationsView} queryKey={queryKey} />}
      </Loaded>
      <Card title="For programs">
        <p className="small">
          A webhook endpoint receives every status of every deposit and execution, including failures. If its event
          types include them, it also receives changed intents, pending changes of recipients, paused chains, quota
          warnings, expiring keys and disabled endpoints. Add an endpoint on the page{' '}
          <Link href="/webhooks">Webhooks</Link>.
        </p>
      </Card>
    </Page>
  )
}

function Form({ stored, queryKey }: { stored: NotificationsView; queryKey: string[] }) {
  const client = useQueryClient()
  const { canMail, ...before } = stored
  const [settings, setSettings] = useState<Settings>({
    ...before,
    timeZone: before.timeZone === 'UTC' ? Intl.DateTimeFormat().resolvedOptions().timeZone : before.timeZone,
  })
  const change = (part: Partial<Settings>) => setSettings((now) => ({ ...now, ...part }))
  const save = useMutation({
    mutationFn: () => ask<NotificationsView>('/notifications', { method: 'PUT', body: settings }),
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
      {!canMail && <Note tone="warn">This installation has no mail server, so no e-mails are sent.</Note>}
      <div className="grid2">
        <Card title="When">
          <div className="stack">
            <Select
              label="Frequency"
              description={paces[settings.pace][1]}
              data={paceOptions}
              value={settings.pace}
              onChange={(pace) => pace !== null && change({ pace: pace as Settings['pace'] })}
            />
            <Quiet settings={settings} change={change} />
          </div>
        </Card>
        <Card title="Topics">
          <Checkbox.Group
            aria-label="Topics"
            value={[...settings.kinds]}
            onChange={(chosen) => change({ kinds: chosen as Settings['kinds'] })}
          >
            <div className="stack">
              {Object.entries(kinds).map(([kind, label]) => (
                <Checkbox key={kind} value={kind} label={label} disabled={settings.pace === 'OFF'} />
              ))}
            </div>
          </Checkbox.Group>
        </Card>
      </div>
      <Trouble error={save.error} />
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

function Quiet({ settings, change }: { settings: Settings; change: (part: Partial<Settings>) => void }) {
  const { quiet, timeZone, pace } = settings
  const hour = (side: 'from' | 'to', label: string) => (
    <Select
      label={label}
      data={hours}
      w={110}
      value={String((quiet ?? usual)[side])}
      onChange={(value) => value !== null && change({ quiet: { ...(quiet ?? usual), [side]: Number(value) } })}
    />
  )
  return (
    <>
      <Switch
        label="Quiet hours"
        description={`In these hours only pending changes of recipients are e-mailed; the rest follows afterwards. Time zone: ${timeZone}.`}
        checked={quiet !== null}
        disabled={pace === 'OFF'}
        onChange={(event) => change({ quiet: event.currentTarget.checked ? usual : null })}
      />
      {quiet !== null && (
        <div className="row">
          {hour('from', 'From')}
          {hour('to', 'Until')}
        </div>
      )}
    </>
  )
}
