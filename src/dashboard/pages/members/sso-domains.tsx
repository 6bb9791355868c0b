import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { SsoView } from '../../../http/dashboard/sso/settings'
import { ask } from '../../data/api'
import { Copy } from '../../ui/copy'
import { Trouble } from '../../ui/parts'
import { showToast } from '../../ui/toast'

type Props = { view: SsoView; mayChange: boolean; onDone: () => void }

/** The e-mail domains whose users sign in through the provider, and the record that proves each. */
export function SsoDomains({ view, mayChange, onDone }: Props) {
  const change = useMutation({
    mutationFn: ({ path, method, body }: { path: string; method: string; body?: object }) =>
      ask(`/sso/domains${path}`, { method, ...(body && { body }) }),
    onSuccess: onDone,
  })
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const name = String(new FormData(form).get('name')).trim().toLowerCase()
    change.mutate({ path: '', method: 'POST', body: { name } }, { onSuccess: () => form.reset() })
  }
  const prove = (name: string) =>
    change.mutate(
      { path: `/${name}/prove`, method: 'POST' },
      { onSuccess: () => showToast(`${name} is verified. Its users now sign in through the provider.`) },
    )
  return (
    <>
      {view.domains.map(({ name, record, provedAt }) => (
        <div key={name} className="stack tight">
          <div className="row">
            <strong className="wrap">{name}</strong>
            <span className={`pill t-${provedAt ? 'ok' : 'warn'}`}>{provedAt ? 'Proved' : 'Not proved'}</span>
            {mayChange && (
              <>
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => prove(name)}
                  disabled={change.isPending}
                  aria-label={`Check ${name}`}
                >
                  Check
                </Button>
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => change.mutate({ path: `/${name}`, method: 'DELETE' })}
                  disabled={change.isPending}
                  aria-label={`Remove ${name}`}
                >
                  Remove
                </Button>
              </>
            )}
          </div>
          {!provedAt && (
            <>
              <span className="sub small">Add this TXT record at your name server, and keep it</span>
              <RecordLine what="record name" value={record.name} />
              <RecordLine what="record text" value={record.value} />
            </>
          )}
        </div>
      ))}
      <Trouble error={change.error} />
      {mayChange && (
        <form onSubmit={add} className="row" style={{ alignItems: 'flex-end' }}>
          <TextInput name="name" label="E-mail domain" placeholder="example.com" maxLength={190} required w={260} />
          <Button type="submit" variant="default" loading={change.isPending}>
            Add
          </Button>
        </form>
      )}
    </>
  )
}

const RecordLine = ({ what, value }: { what: string; value: string }) => (
  <div className="row keep id-cell">
    <span className="mono wrap">{value}</span>
    <Copy value={value} what={what} />
  </div>
)
