import { Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedKeyView } from '../../../http/dashboard/keys'
import { ask } from '../../data/api'
import type { KeyView } from '../../data/types'
import { FormDialog } from '../../ui/form-dialog'

const overlaps = [
  { value: '0', label: 'Now' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 24 hours' },
  { value: '604800', label: 'In 7 days' },
]

/** Replaces a key by a new one with the same settings. The old one works for a while longer, so that nothing stops. */
export function RollKey({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: KeyView
  onClose: () => void
  onMade: (value: string) => void
}) {
  const [overlap, setOverlap] = useState('86400')
  const roll = useMutation({
    mutationFn: () => ask<CreatedKeyView>(`/keys/${apiKey.id}/roll`, { body: { overlapSeconds: Number(overlap) } }),
    onSuccess: ({ value }) => onMade(value),
  })
  return (
    <FormDialog
      title={`Roll the key ${apiKey.label}`}
      action="Create the new key"
      onSubmit={() => roll.mutate()}
      onClose={onClose}
      isPending={roll.isPending}
      error={roll.error}
    >
      <p className="small">
        You get a new key with the same settings now. Start using it before the old one stops working.
      </p>
      <Select
        label="The old key stops working"
        data={overlaps}
        value={overlap}
        onChange={(value) => setOverlap(value ?? '0')}
        allowDeselect={false}
      />
    </FormDialog>
  )
}
