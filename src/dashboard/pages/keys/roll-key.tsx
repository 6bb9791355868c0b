import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedKeyView } from '../../../http/dashboard/keys'
import { ask } from '../../data/api'
import type { KeyView } from '../../data/types'
import { FormDialog } from '../../ui/form-dialog'
import { OverlapField } from '../../ui/overlap-field'

/**
 * Replaces a key with a new one that has the same settings. The old one keeps working for a while, so nothing is
 * interrupted.
 */
export function RollKey({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: KeyView
  onClose: () => void
  onMade: (value: string) => void
}) {
  const [overlapSeconds, setOverlap] = useState(86_400)
  const roll = useMutation({
    mutationFn: () => ask<CreatedKeyView>(`/keys/${apiKey.id}/roll`, { body: { overlapSeconds } }),
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
      <OverlapField label="The old key stops working" seconds={overlapSeconds} onChange={setOverlap} />
    </FormDialog>
  )
}
