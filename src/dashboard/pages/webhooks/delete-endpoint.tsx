import { useMutation } from '@tanstack/react-query'
import { ask } from '../../data/api'
import { FormDialog } from '../../ui/form-dialog'
import { say } from '../../ui/toast'
import { type Endpoint, pathOf } from './endpoint-data'

type Props = { endpoint: Endpoint; onClose: () => void; onDone: () => void }
export function DeleteEndpoint({ endpoint: { id, url }, onClose, onDone }: Props) {
  const remove = useMutation({
    mutationFn: () => ask(pathOf(id), { method: 'DELETE' }),
    onSuccess: () => {
      say('Deleted. It receives no more events.')
      onDone()
    },
  })
  return (
    <FormDialog
      title="Delete endpoint"
      action="Delete endpoint"
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      isPending={remove.isPending}
      error={remove.error}
      color="red.9"
    >
      <p className="small">
        Events not yet delivered to <span className="strong wrap">{url}</span> are dropped, and its deliveries are no
        longer shown. This cannot be undone. To stop temporarily, disable it instead.
      </p>
    </FormDialog>
  )
}
