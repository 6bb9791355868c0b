import { useMutation } from '@tanstack/react-query'
import { ask } from '../../data/api'
import { FormDialog } from '../../ui/form-dialog'
import { say } from '../../ui/toast'
import { disabledWords, type Endpoint, pathOf } from './endpoint-data'

/** Disables an endpoint, or enables it again. */
export function SwitchEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { id, url, enabled, disabledReason } = endpoint
  const turn = useMutation({
    mutationFn: () => ask(pathOf(id), { method: 'PATCH', body: { enabled: !enabled } }),
    onSuccess: () => {
      say(
        enabled
          ? 'Disabled. Nothing more is posted to it.'
          : 'Enabled. What happened while it was disabled is posted now.',
      )
      onClose()
    },
  })
  return (
    <FormDialog
      title={enabled ? 'Disable endpoint' : 'Enable endpoint'}
      action={enabled ? 'Disable' : 'Enable'}
      onSubmit={() => turn.mutate()}
      onClose={onClose}
      isPending={turn.isPending}
      error={turn.error}
    >
      <p className="small">
        <span className="strong wrap">{url}</span>
      </p>
      <p className="small">
        {enabled
          ? 'Nothing is posted to it until somebody enables it again. Events of the last 7 days are posted then.'
          : `${disabledReason ? `${disabledWords(disabledReason)} ` : ''}Once it is enabled, it gets what happened in the last 7 days while it was disabled. What had failed for good before stays failed until you post it again.`}
      </p>
    </FormDialog>
  )
}
