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

const empty: Draft = { kind: 'TOKEN', chain: null, address: '', listedAs: 'SCAM' }

/** @param props.replaced The entry that the new one replaces; null to add one. */
export function PutEntry({ replaced, onClose }: { replaced: Entry | null; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>(replaced ? { ...replaced, chain: null } : empty)
  const [reason, setReason] = useState('')
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }))
  const put = useMutation({
    mutationFn: () => {
      const { kind, chain, address, listedAs } = draft
      const chosen = chain ? chains[chain as keyof typeof chains].id : null
      const chainId = replaced ? replaced.chainId : chosen
      const version = replaced?.version ?? null
      return ask('/operator/blacklist', { body: { kind, chainId, address: address.trim(), listedAs, reason, version } })
    },
    onSuccess: () => {
      showToast(`${replaced ? 'Changed' : 'Added'}. It applies to every check within a second.`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={replaced ? `Change ${short(replaced.address)}` : 'Add to the security list'}
      action={replaced ? 'Change' : 'Add'}
      act={put}
      onClose={onClose}
      isReady={isReason(reason)}
    >
      {!replaced && <SubjectFields draft={draft} onChange={change} />}
      <Select
        label="Listed as"
        description="“Allowed” overrides imported lists."
        data={Object.entries(listings).map(([value, label]) => ({ value, label }))}
        value={draft.listedAs}
        onChange={(value) => change({ listedAs: value ?? 'SCAM' })}
      />
      {replaced && <p className="small">It does not expire.</p>}
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  )
}

type FieldsProps = { draft: Draft; onChange: (change: Partial<Draft>) => void }
const SubjectFields = ({ draft: { kind, chain, address }, onChange }: FieldsProps) => (
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
        Deposits that it stopped keep their status. Re-drive those that should be routed after all. An imported list
        that contains it counts again.
      </p>
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  )
}
