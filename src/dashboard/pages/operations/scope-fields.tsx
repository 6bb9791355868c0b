import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { providerName } from '../../../domain/execution/provider'
import type { ProviderView } from '../../../http/operator/operator-reads'
import { ask } from '../../data/api'
import { choicesOf } from '../../data/read'
import { useHere } from '../../data/session'
import { useTenants } from '../../data/tenant'
import { chainChoices, type ScopeKind, scopeKinds } from './pause-scopes'

/** Asks what to pause, with nothing preselected. Passes on the scope, or null while it is incomplete. */
export function ScopeFields({ onChange }: { onChange: (scope: string | null) => void }) {
  const { organization } = useHere()
  const [kind, setKind] = useState<ScopeKind | null>(null)
  const [which, setWhich] = useState<string | null>(null)
  const [address, setAddress] = useState('')
  const providers = useQuery({
    queryKey: ['providers', organization.id],
    queryFn: () => ask<(typeof ProviderView.infer)[]>('/operator/providers'),
  })
  const tenants = useTenants()
  const choices = {
    chain: chainChoices,
    token: chainChoices,
    provider: choicesOf(providers).map(({ provider }) => ({ value: provider, label: providerName(provider) })),
    tenant: choicesOf(tenants).map(({ id, name, slug }) => ({ value: id, label: `${name} (${slug})` })),
    all: [],
  }
  const scope = scopeOf(kind, which, address.trim())
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the scope changes, not when the callback does
  useEffect(() => onChange(scope), [scope])
  return (
    <>
      <Select
        label="What"
        placeholder="Choose"
        data={scopeKinds}
        value={kind}
        onChange={(value) => {
          setKind(value as ScopeKind | null)
          setWhich(null)
        }}
        data-autofocus
      />
      {kind && kind !== 'all' && (
        <Select
          label={kind === 'token' ? 'On which chain' : 'Which'}
          placeholder="Choose"
          data={choices[kind]}
          value={which}
          onChange={setWhich}
          searchable={kind === 'tenant'}
        />
      )}
      {kind === 'token' && (
        <TextInput
          label="Address of the token"
          placeholder="0x…"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          pattern="\s*0x[0-9a-fA-F]{40}\s*"
          required
          withAsterisk={false}
        />
      )}
    </>
  )
}

function scopeOf(kind: ScopeKind | null, which: string | null, address: string): string | null {
  if (kind === null || kind === 'all') return kind
  if (which === null) return null
  if (kind !== 'token') return `${kind}:${which}`
  return /^0x[0-9a-fA-F]{40}$/.test(address) ? `token:${which}:${address}` : null
}
