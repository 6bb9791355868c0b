import { Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { chains } from '../../../domain/chain/chain'
import { ask, queryOf } from '../../data/api'
import { chainName, short } from '../../data/format'
import { FormDialog } from '../../ui/form-dialog'
import { isReason, ReasonField } from '../../ui/reason-field'
import { showToast } from '../../ui/toast'
import { type Entry, listings } from './blacklist-entry'

const kinds = [
  { value: 'TOKEN', label: 'Token' },
  { value: 'ADDRESS', label: 'Sender or recipient' },
]

type Draft = { kind: string; chain: string | null; address: string; listedAs: string }

export function AddEntry({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ kind: 'TOKEN', chain: null, address: '', listedAs: 'SCAM' })
  const [reason, setReason] = useState('')
  const add = useMutation({
    mutationFn: () => {
      const { kind, chain, address, listedAs } = draft
      const chainId = chain ? chains[chain as keyof typeof chains].id : null
      return ask('/operator/blacklist', { body: { kind, chainId, address: address.trim(), listedAs, reason } })
    },
    onSuccess: () => {
      showToast('Added. It applies to every check within a second.')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add to the security list"
      action="Add"
      onSubmit={() => add.mutate()}
      onClose={onClose}
      isReady={isReason(reason)}
      isPending={add.isPending}
      error={add.error}
    >
      <EntryFields draft={draft} onChange={(change) => setDraft((before) => ({ ...before, ...change }))} />
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  )
}

type FieldsProps = { draft: Draft; onChange: (change: Partial<Draft>) => void }
const EntryFields = ({ draft: { kind, chain, address, listedAs }, onChange }: FieldsProps) => (
  <>
    <Select label="What" data={kinds} value={kind} onChange={(value) => onChange({ kind: value ?? 'TOKEN' })} />
    <Select
      label="Chain"
      placeholder="All chains"
      data={Object.keys(chains).map((key) => ({ value: key, label: chainName(key) }))}
      value={chain}
      onChange={(value) => onChange({ chain: value })}
      clearable
    />
    <TextInput
      label="Address"
      placeholder="0x…"
      value={address}
      onChange={(event) => onChange({ address: event.currentTarget.value })}
      pattern="\s*0x[0-9a-fA-F]{40}\s*"
      required
      withAsterisk={false}
    />
    <Select
      label="Listed as"
      description="“Allowed” overrides imported lists."
      data={Object.entries(listings).map(([value, label]) => ({ value, label }))}
      value={listedAs}
      onChange={(value) => onChange({ listedAs: value ?? 'SCAM' })}
    />
  </>
)

export function RemoveEntry({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const remove = useMutation({
    mutationFn: () =>
      ask(`/operator/blacklist/${encodeURIComponent(entry.id)}${queryOf({ reason, version: entry.version })}`, {
        method: 'DELETE',
      }),
    onSuccess: () => {
      showToast('Removed.')
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Remove ${short(entry.address)}`}
      action="Remove"
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      isReady={isReason(reason)}
      isPending={remove.isPending}
      error={remove.error}
      color="red.9"
    >
      <p className="small">
        Deposits that it stopped keep their status. Re-drive those that should be routed after all.
      </p>
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  )
}
