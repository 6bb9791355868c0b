import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { RescanView } from '../../../http/routes/rescan'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { Trouble } from '../../ui/parts'
import { showToast } from '../../ui/toast'
import { type Rescannable, rescanOf } from './rescan-of'

/**
 * Requests routing for a deposit of an unlisted token, whose balance then becomes a normal deposit, or reads a transfer
 * again that the chain should have confirmed. Nothing is shown for any other deposit.
 */
export function RescanDeposit({ deposit, onDone }: { deposit: Rescannable; onDone: () => void }) {
  const { isOperator } = useHere()
  const body = rescanOf(deposit)
  const rescan = useMutation({
    mutationFn: (request: object) => ask<typeof RescanView.infer>('/deposits/rescan', { body: request }),
    onSuccess: ({ found, message }) => {
      showToast(message, found === 'DEPOSIT' ? 'ok' : 'info')
      onDone()
    },
  })
  if (!isOperator || !body) return null
  return (
    <>
      <Button size="compact-sm" variant="default" loading={rescan.isPending} onClick={() => rescan.mutate(body)}>
        Rescan
      </Button>
      <Trouble error={rescan.error} />
    </>
  )
}
