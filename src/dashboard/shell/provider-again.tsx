import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ask } from '../data/api'
import { goToProvider, goToProviderBeside, onSignedIn } from '../data/sso'
import type { Me } from '../data/types'
import { FormDialog } from '../ui/form-dialog'
import { Note } from '../ui/parts'

/**
 * Asks a person who signed in through a provider to sign in there again, in a second window. Nothing continues if
 * another person returns.
 *
 * @param props.me The signed-in person at the time of the request.
 */
export function ProviderAgain({ me, onEnd }: { me: Me; onEnd: (isProved: boolean) => void }) {
  const client = useQueryClient()
  const [other, setOther] = useState<Me | null>(null)
  // The page keeps showing the original person, because switching would lose the input.
  const look = useMutation({
    mutationFn: () => ask<Me | null>('/me'),
    onSuccess: (now) => {
      const isOther = now !== null && now.person.id !== me.person.id
      setOther(isOther ? now : null)
      if (now === null || isOther || now.sessionId === me.sessionId) return
      void client.invalidateQueries({ queryKey: ['me'] })
      onEnd(true)
    },
  })
  useEffect(() => onSignedIn(look.mutate), [look.mutate])
  const go = useMutation({ mutationFn: goToProviderBeside })
  const goHere = useMutation({ mutationFn: () => goToProvider({ again: true }) })
  return (
    <FormDialog
      title="Sign in again"
      action={go.data ? 'Open the window again' : 'Go to the provider'}
      onSubmit={() => go.mutate()}
      onClose={() => onEnd(false)}
      isPending={go.isPending}
      error={go.error ?? goHere.error ?? look.error}
    >
      <p>
        This action needs a sign-in within the last 15 minutes. Your organization’s provider signs you in again in
        another window, without a Switchyard password. Your input stays here, and the action continues when you return.
      </p>
      {go.data && !other && <Note tone="info">Sign in as {me.person.email} in the other window.</Note>}
      {other && (
        <Note tone="bad" role="alert">
          You signed in as {other.person.email}, so nothing was done. Sign in as {me.person.email} to continue.
        </Note>
      )}
      {go.data === false && (
        <Note tone="bad" role="alert">
          Your browser blocked the window. Allow this page to open windows and try again, or{' '}
          <button type="button" className="linkbutton" onClick={() => goHere.mutate()}>
            continue in this window
          </button>
          : then what you have typed here is lost.
        </Note>
      )}
    </FormDialog>
  )
}
