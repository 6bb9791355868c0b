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
      say('Deleted. Nothing more is posted to it.')
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
        Events that <span className="strong wrap">{url}</span> has not got yet are dropped, and its deliveries are no
        longer shown. This cannot be undone. To stop for a while only, disable it instead.
      </p>
    </FormDialog>
  )
}
