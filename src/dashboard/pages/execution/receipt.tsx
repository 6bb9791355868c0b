import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { askFile } from '../../data/api'
import { saveFile } from '../../data/download'
import { say } from '../../ui/toast'

/** Saves the signed receipt of an ended execution. */
export function Receipt({ id }: { id: string }) {
  const save = useMutation({
    mutationFn: () => askFile(`/executions/${encodeURIComponent(id)}/receipt`),
    onSuccess: (file) => saveFile(`receipt-${id.replaceAll(':', '-')}.json`, file),
    onError: ({ message }) => say(message),
  })
  return (
    <Button
      variant="default"
      size="sm"
      loading={save.isPending}
      title="A signed statement of how this execution ended, for anyone who does not trust our database"
      onClick={() => save.mutate()}
    >
      Receipt
    </Button>
  )
}
