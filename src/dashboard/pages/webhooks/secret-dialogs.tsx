import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookSecretView } from '../../../http/webhooks/views'
import { ask } from '../../data/api'
import { FormDialog } from '../../ui/form-dialog'
import { OneTime } from '../../ui/one-time'
import { OverlapField } from '../../ui/overlap-field'
import { type Endpoint, pathOf } from './endpoint-data'

/** Shows an endpoint's secret, once. It is stored encrypted. */
export const OneTimeSecret = ({ value, onClose }: { value: string; onClose: () => void }) => (
  <OneTime
    title="Copy the signing secret now"
    what="signing secret"
    value={value}
    lead="Your server uses it to verify that an event is ours (Standard Webhooks). It is shown only once. If you lose it, rotate it."
    stored="I have stored this secret"
    onClose={onClose}
  />
)

type Props = { endpoint: Endpoint; onClose: () => void; onMade: (secret: string) => void }

/** Replaces an endpoint's secret. Both sign for a while, so no event is refused in that time. */
export function RotateSecret({ endpoint: { id, previousExpiresAt }, onClose, onMade }: Props) {
  const [overlapSeconds, setOverlap] = useState(86_400)
  const rotate = useMutation({
    mutationFn: () => ask<typeof WebhookSecretView.infer>(pathOf(id, '/rotate-secret'), { body: { overlapSeconds } }),
    onSuccess: ({ secret }) => onMade(secret),
  })
  return (
    <FormDialog title="Rotate the signing secret" action="Rotate the secret" act={rotate} onClose={onClose}>
      <p className="small">
        Until the current secret stops signing, every event carries two signatures. An event is valid if either
        verifies.
        {previousExpiresAt && ' An older secret still signs. It stops when you rotate.'}
      </p>
      <OverlapField label="The current secret stops signing" seconds={overlapSeconds} onChange={setOverlap} />
    </FormDialog>
  )
}
