import { Button, PasswordInput, Select, Switch, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { SsoView } from '../../../http/dashboard/sso/settings'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { Copy } from '../../ui/copy'
import { FormDialog } from '../../ui/form-dialog'
import { Unread } from '../../ui/loaded'
import { Bones, Card, Trouble } from '../../ui/parts'
import { showToast } from '../../ui/toast'
import { roleOptions } from './roles'
import { SsoAdmission } from './sso-admission'
import { SsoDirectories } from './sso-directories'
import { SsoDomains } from './sso-domains'

/** The settings of sign-in through the organization's provider. Owners change them, and admins see them. */
export default function Sso() {
  const { organization } = useHere()
  const client = useQueryClient()
  const queryKey = ['sso', organization.id]
  const sso = useQuery({ queryKey, queryFn: () => ask<SsoView>('/sso') })
  const isOwner = organization.role === 'owner'
  const [isEditing, setEditing] = useState(false)
  const renew = () => {
    void client.invalidateQueries({ queryKey })
    void client.invalidateQueries({ queryKey: ['me'] })
  }
  const view = sso.data
  const connection = view ? view.connection : null
  return (
    <Card
      title="Single sign-on"
      side={view && <span className={`pill t-${connection ? 'ok' : 'mute'}`}>{connection ? 'On' : 'Off'}</span>}
    >
      <div className="stack">
        <Unread of={sso} />
        {!view && !sso.error && <Bones rows={2} height={26} />}
        {view && (
          <p className="small">
            {connection
              ? `${connection.issuer} signs in users with an address at a domain below. New users join as ${connection.role}.`
              : 'Let members sign in through your own OpenID Connect provider.'}
          </p>
        )}
        {view && isOwner && (
          <div className="row">
            <Button variant="default" onClick={() => setEditing(true)}>
              {connection ? 'Change the provider' : 'Connect a provider'}
            </Button>
            {connection && <SwitchOff onDone={renew} />}
          </div>
        )}
        {view && connection && <SsoDomains view={view} mayChange={isOwner} onDone={renew} />}
        {view && connection && <SsoAdmission view={view} mayChange={isOwner} onDone={renew} />}
        {view && connection && <Demand view={view} mayChange={isOwner} onDone={renew} />}
        {view && isOwner && <SsoDirectories />}
      </div>
      {view && isEditing && (
        <ProviderForm
          view={view}
          onClose={() => setEditing(false)}
          onDone={() => {
            setEditing(false)
            renew()
          }}
        />
      )}
    </Card>
  )
}

function SwitchOff({ onDone }: { onDone: () => void }) {
  const [isConfirming, setConfirming] = useState(false)
  const remove = useMutation({
    mutationFn: () => ask('/sso', { method: 'DELETE' }),
    onSuccess: () => {
      showToast('Single sign-on is off. Its sessions have ended.')
      setConfirming(false)
      onDone()
    },
  })
  return (
    <>
      <Button variant="default" onClick={() => setConfirming(true)}>
        Switch off
      </Button>
      {isConfirming && (
        <FormDialog
          title="Switch single sign-on off?"
          action="Switch off"
          color="red"
          act={remove}
          onClose={() => setConfirming(false)}
        >
          <p>Everyone who signed in through it is signed out, and the domains are released. Members stay members.</p>
        </FormDialog>
      )}
    </>
  )
}

type Part = { view: SsoView; onDone: () => void }

function Demand({ view, mayChange, onDone }: Part & { mayChange: boolean }) {
  const { me } = useHere()
  const isProved = view.domains.some(({ provedAt }) => provedAt !== null)
  const change = useMutation({
    mutationFn: (isDemanded: boolean) => ask('/sso/demand', { method: 'PUT', body: { isDemanded } }),
    onSuccess: onDone,
  })
  return (
    <>
      <Switch
        label="Require it of every member except owners"
        description="Owners can still sign in with a password and their own second step. API keys work as before."
        checked={view.isDemanded}
        disabled={!mayChange || change.isPending || (!view.isDemanded && !(isProved && me.person.hasSecondStep))}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Trouble error={change.error} />
    </>
  )
}

function ProviderForm({ view, onClose, onDone }: Part & { onClose: () => void }) {
  const { connection, redirectUri } = view
  const [role, setRole] = useState<string>(connection?.role ?? 'member')
  const save = useMutation({
    mutationFn: (body: object) => ask('/sso', { method: 'PUT', body }),
    onSuccess: () => {
      showToast('The provider is connected.')
      onDone()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { issuer, clientId, clientSecret } = Object.fromEntries(new FormData(event.currentTarget))
    save.mutate({ issuer, clientId, role, ...(clientSecret !== '' && { clientSecret }) })
  }
  return (
    <FormDialog
      title="Identity provider"
      action="Save"
      onSubmit={submit}
      onClose={onClose}
      isPending={save.isPending}
      error={save.error}
    >
      <div>
        <span className="sub small">Register this redirect address at the provider</span>
        <div className="row keep id-cell">
          <span className="mono wrap">{redirectUri}</span>
          <Copy value={redirectUri} what="redirect address" />
        </div>
      </div>
      <TextInput
        name="issuer"
        label="Issuer"
        placeholder="https://id.example.com"
        defaultValue={connection?.issuer}
        maxLength={512}
        required
        data-autofocus
      />
      <TextInput name="clientId" label="Client ID" defaultValue={connection?.clientId} maxLength={256} required />
      <PasswordInput
        name="clientSecret"
        label="Client secret"
        description={connection ? 'Leave it empty to keep the stored secret.' : undefined}
        maxLength={512}
        autoComplete="off"
        required={connection === null}
        visibilityToggleButtonProps={{ 'aria-label': 'Show secret', tabIndex: 0 }}
      />
      <Select
        label="Role of new members"
        data={roleOptions.filter(({ value }) => value === 'member' || value === 'operator')}
        value={role}
        onChange={(chosen) => chosen && setRole(chosen)}
      />
    </FormDialog>
  )
}
