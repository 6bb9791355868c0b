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
        enabled ? 'Disabled. It receives no more events.' : 'Enabled. Events from while it was disabled are sent now.',
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
          ? 'It receives no events until it is enabled again. It then gets the events of the last 7 days.'
          : `${disabledReason ? `${disabledWords(disabledReason)} ` : ''}Once enabled, it immediately gets what waits for a retry, and the events of the last 7 days that it missed while disabled. Events that had already failed stay failed until you resend them.`}
      </p>
    </FormDialog>
  )
}
