import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { RescanView } from '../../../http/routes/rescan'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { Trouble } from '../../ui/parts'
import { showToast } from '../../ui/toast'

/** Requests routing for a deposit of an unlisted token. Its balance then becomes a normal deposit. */
export function RescanDeposit({ id, onDone }: { id: string; onDone: () => void }) {
  const { isOperator } = useHere()
  const rescan = useMutation({
    mutationFn: () => ask<typeof RescanView.infer>('/deposits/rescan', { body: { depositId: id } }),
    onSuccess: ({ message }) => {
      showToast(message)
      onDone()
    },
  })
  if (!isOperator) return null
  return (
    <>
      <Button size="compact-sm" variant="default" loading={rescan.isPending} onClick={() => rescan.mutate()}>
        Rescan
      </Button>
      <Trouble error={rescan.error} />
    </>
  )
}
