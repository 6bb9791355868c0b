import { Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { chains } from '../../../domain/chain/chain'
import { ask, queryOf } from '../../data/api'
import { chainName, short } from '../../data/format'
import { FormDialog } from '../../ui/form-dialog'
import { isReason, ReasonField } from '../../ui/reason-field'
import { say } from '../../ui/toast'
import { type Entry, listings } from './blacklist-entry'

const kinds = [
  { value: 'TOKEN', label: 'Token' },
  { value: 'ADDRESS', label: 'Sender or recipient' },
]

export function AddEntry({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState('TOKEN')
  const [chain, setChain] = useState<string | null>(null)
  const [address, setAddress] = useState('')
  const [listedAs, setListedAs] = useState('SCAM')
  const [reason, setReason] = useState('')
  const add = useMutation({
    mutationFn: () =>
      ask('/operator/blacklist', {
        body: {
          kind,
          chainId: chain ? chains[chain as keyof typeof chains].id : null,
          address: address.trim(),
          listedAs,
          reason,
        },
      }),
    onSuccess: () => {
      say('Listed. It applies to every check from now on, within a second everywhere.')
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
      <Select
        label="What"
        data={kinds}
        value={kind}
        onChange={(value) => setKind(value ?? 'TOKEN')}
        allowDeselect={false}
      />
      <Select
        label="Chain"
        placeholder="All chains"
        data={Object.keys(chains).map((key) => ({ value: key, label: chainName(key) }))}
        value={chain}
        onChange={setChain}
        clearable
      />
      <TextInput
        label="Address"
        placeholder="0x…"
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
        pattern="\s*0x[0-9a-fA-F]{40}\s*"
        required
        withAsterisk={false}
      />
      <Select
        label="Listed as"
        description="“Allowed” lets through what an imported list would stop."
        data={Object.entries(listings).map(([value, label]) => ({ value, label }))}
        value={listedAs}
        onChange={(value) => setListedAs(value ?? 'SCAM')}
        allowDeselect={false}
      />
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  )
}

export function RemoveEntry({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const remove = useMutation({
    mutationFn: () =>
      ask(`/operator/blacklist/${encodeURIComponent(entry.id)}${queryOf({ reason })}`, { method: 'DELETE' }),
    onSuccess: () => {
      say('Removed.')
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
      color="red"
    >
      <p className="small">
        Deposits that it stopped stay as they ended. Re-drive those that should be routed after all.
      </p>
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  )
}
