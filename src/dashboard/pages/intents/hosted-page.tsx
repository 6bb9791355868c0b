import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DepositPageView } from '../../../http/dashboard/hosted/links'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { FormDialog } from '../../ui/form-dialog'
import { Loaded } from '../../ui/loaded'
import { Card } from '../../ui/parts'
import { showToast } from '../../ui/toast'
import type { Accepted } from '../accepted-tokens'
import { NewLink } from './new-link'
import { smallLogo } from './small-logo'

type Whose = { userId: string; accepts: readonly Accepted[] }

/** A link to a page that shows a sender without an account where to send, under the organization's name. */
export function HostedPage({ userId, accepts }: Whose) {
  const { organization, isAdmin, isOperator } = useHere()
  const client = useQueryClient()
  const queryKey = ['deposit-page', organization.id]
  const page = useQuery({ queryKey, queryFn: () => ask<DepositPageView>('/deposit-page') })
  const [doing, setDoing] = useState<'settings' | 'link' | null>(null)
  const settings = page.data
  if (!settings) return <Loaded of={page}>{() => null}</Loaded>
  const end = () => {
    setDoing(null)
    void client.invalidateQueries({ queryKey })
  }
  return (
    <Card title="Hosted page">
      <div className="stack">
        <p className="small">
          {settings.isOn
            ? `A link opens a page of ${settings.name} with this user’s address, the accepted tokens and the deposits so far. ` +
              'It works for a short time, for anyone who has it.'
            : 'A page with this user’s address, for senders without an account here. It is off.'}
        </p>
        <div className="row">
          {settings.isOn && isOperator && <Button onClick={() => setDoing('link')}>Create a link</Button>}
          {isAdmin && (
            <Button variant="default" onClick={() => setDoing('settings')}>
              {settings.isOn ? 'Settings' : 'Turn on'}
            </Button>
          )}
        </div>
      </div>
      {doing === 'settings' && <Settings settings={settings} onClose={end} />}
      {doing === 'link' && <NewLink userId={userId} accepts={accepts} onClose={end} />}
    </Card>
  )
}

function Settings({ settings, onClose }: { settings: DepositPageView; onClose: () => void }) {
  const [wanted, setWanted] = useState({ ...settings, isOn: true })
  const logo = useMutation({
    mutationFn: smallLogo,
    onSuccess: (logo) => setWanted((before) => ({ ...before, logo })),
  })
  const save = useMutation({
    mutationFn: () => ask('/deposit-page', { method: 'PUT', body: wanted }),
    onSuccess: () => {
      showToast(wanted.isOn ? 'The hosted page is on.' : 'The hosted page is off; its links no longer work.')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Hosted deposit page"
      action="Save"
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isReady={wanted.name.trim() !== '' && /^#[0-9a-f]{6}$/.test(wanted.color)}
      isPending={save.isPending || logo.isPending}
      error={save.error}
    >
      <Checkbox
        label="Links to the page work"
        checked={wanted.isOn}
        onChange={(event) => setWanted({ ...wanted, isOn: event.currentTarget.checked })}
      />
      <TextInput
        label="Name"
        description="The name that senders know you by"
        value={wanted.name}
        onChange={(event) => setWanted({ ...wanted, name: event.currentTarget.value })}
        maxLength={64}
        required
      />
      <TextInput
        type="color"
        label="Colour"
        description="Its text is black or white, for contrast"
        value={wanted.color}
        onChange={(event) => setWanted({ ...wanted, color: event.currentTarget.value })}
      />
      <TextInput
        type="file"
        accept="image/*"
        label="Logo"
        description="Optional. Any picture; it is made small before it is sent"
        error={logo.error?.message}
        onChange={({ currentTarget: { files } }) => files?.[0] && logo.mutate(files[0])}
      />
      {wanted.logo && (
        <div className="row">
          <img src={wanted.logo} alt="The logo as payers see it" className="logo" />
          <Button size="compact-sm" variant="default" onClick={() => setWanted({ ...wanted, logo: null })}>
            Remove logo
          </Button>
        </div>
      )}
    </FormDialog>
  )
}
