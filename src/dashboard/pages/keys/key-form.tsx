import { NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedKeyView } from '../../../http/dashboard/keys'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import type { KeyView } from '../../data/types'
import { FormDialog } from '../../ui/form-dialog'
import { Note } from '../../ui/parts'
import { showToast } from '../../ui/toast'

type Terms = Pick<KeyView, 'label' | 'protocolFeeBps' | 'sponsoredGas'> & { allowed: string }
type Change = (terms: Terms) => void

/** The fee settings of a key, with an example of what they take from a deposit. */
function TermFields({ terms, onChange }: { terms: Terms; onChange: Change }) {
  const { label, protocolFeeBps, sponsoredGas, allowed } = terms
  const mayBeSponsored = useHere().organization.sponsoredGasUsdPerDay > 0
  const percent = (protocolFeeBps / 100).toFixed(2)
  const rest = sponsoredGas ? 'The rest is routed.' : 'The rest, minus gas, is routed.'
  const fee = (1_000 * protocolFeeBps) / 10_000
  return (
    <>
      <TextInput
        label="Label"
        placeholder="Production checkout"
        value={label}
        onChange={(event) => onChange({ ...terms, label: event.currentTarget.value })}
        maxLength={64}
        required
        data-autofocus
      />
      <NumberInput
        label="Protocol fee in basis points"
        description={`${percent} %: of a deposit of 1,000 USDC you keep ${fee.toFixed(2)} USDC. ${rest}`}
        value={protocolFeeBps}
        onChange={(value) => onChange({ ...terms, protocolFeeBps: Number(value) || 0 })}
        min={0}
        max={1_000}
        allowDecimal={false}
        clampBehavior="strict"
      />
      <Switch
        label="Sponsored gas"
        description={
          mayBeSponsored
            ? 'The platform pays gas. Otherwise it is taken from the deposit, before the protocol fee.'
            : 'This organization’s plan does not include it: gas is taken from the deposit, before the protocol fee.'
        }
        disabled={!mayBeSponsored && !sponsoredGas}
        checked={sponsoredGas}
        onChange={(event) => onChange({ ...terms, sponsoredGas: event.currentTarget.checked })}
      />
      <Textarea
        label="Allowed addresses"
        description="IP addresses or CIDR ranges of your servers, one per line. Leave it empty to allow every address."
        placeholder={'192.0.2.7\n2001:db8::/32'}
        value={allowed}
        onChange={(event) => onChange({ ...terms, allowed: event.currentTarget.value })}
        autosize
        minRows={2}
        maxRows={6}
      />
    </>
  )
}

/** Converts the terms to the server's format. */
const sentOf = ({ allowed, ...terms }: Terms) => ({
  ...terms,
  allowedAddresses: allowed.split(/[\s,]+/).filter(Boolean),
})

export function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (value: string) => void }) {
  const [terms, setTerms] = useState<Terms>({ label: '', protocolFeeBps: 25, sponsoredGas: false, allowed: '' })
  const [role, setRole] = useState('CLIENT')
  const [ends, setEnds] = useState('never')
  const create = useMutation({
    mutationFn: () =>
      ask<CreatedKeyView>('/keys', {
        body: { ...sentOf(terms), role, endsInDays: ends === 'never' ? null : Number(ends) },
      }),
    onSuccess: ({ value }) => onMade(value),
  })
  return (
    <FormDialog title="Create API key" action="Create key" act={create} onClose={onClose}>
      <TermFields terms={terms} onChange={setTerms} />
      <Select
        label="Role"
        data={[
          { value: 'CLIENT', label: 'CLIENT: for your server' },
          { value: 'OPERATOR', label: 'OPERATOR: for on-call scripts' },
        ]}
        value={role}
        onChange={(value) => setRole(value ?? 'CLIENT')}
      />
      <Select
        label="Expires"
        data={[
          { value: 'never', label: 'Never' },
          { value: '30', label: 'After 30 days' },
          { value: '90', label: 'After 90 days' },
          { value: '365', label: 'After a year' },
        ]}
        value={ends}
        onChange={(value) => setEnds(value ?? 'never')}
      />
    </FormDialog>
  )
}

export function EditKey({ apiKey, onClose }: { apiKey: KeyView; onClose: () => void }) {
  const { label, protocolFeeBps, sponsoredGas, allowedAddresses } = apiKey
  const given = { label, protocolFeeBps, sponsoredGas, allowed: allowedAddresses.join('\n') }
  const [terms, setTerms] = useState<Terms>(given)
  const edit = useMutation({
    mutationFn: () => ask(`/keys/${apiKey.id}`, { method: 'PATCH', body: sentOf(terms) }),
    onSuccess: () => {
      showToast('Changed. New intents use the new settings.')
      onClose()
    },
  })
  return (
    <FormDialog title={`Edit the key ${label}`} action="Save" act={edit} onClose={onClose}>
      <TermFields terms={terms} onChange={setTerms} />
      <Note tone="info">Existing intents keep the fee and gas settings they were created with.</Note>
    </FormDialog>
  )
}
