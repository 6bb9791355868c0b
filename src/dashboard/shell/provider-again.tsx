import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useMe } from '../data/session'
import { goToProvider, goToProviderBeside, onSignedIn } from '../data/sso'
import type { Me } from '../data/types'
import { FormDialog } from '../ui/form-dialog'
import { Note } from '../ui/parts'

/**
 * Has whoever came by a provider sign in there again, in a window beside this page. Nothing goes on if somebody else
 * comes back.
 *
 * @param props.me Who is signed in when this is asked.
 */
export function ProviderAgain({ me, onEnd }: { me: Me; onEnd: (isProved: boolean) => void }) {
  const client = useQueryClient()
  const now = useMe().data
  useEffect(() => onSignedIn(() => void client.invalidateQueries({ queryKey: ['me'] })), [client])
  const isOther = now != null && now.person.id !== me.person.id
  const isBack = now != null && !isOther && now.sessionId !== me.sessionId
  // biome-ignore lint/correctness/useExhaustiveDependencies: the request goes on once
  useEffect(() => {
    if (isBack) onEnd(true)
  }, [isBack])
  const go = useMutation({ mutationFn: goToProviderBeside })
  const goHere = useMutation({ mutationFn: () => goToProvider({ again: true }) })
  return (
    <FormDialog
      title="Sign in again"
      action={go.data ? 'Open the window again' : 'Go to the provider'}
      onSubmit={() => go.mutate()}
      onClose={() => onEnd(false)}
      isPending={go.isPending}
      error={go.error ?? goHere.error}
    >
      <p>
        What you are about to do needs a sign-in of the last 15 minutes. The provider of your organization signs you in
        again, in another window; no password of ours is needed. What you have typed stays here, and it goes on when you
        are back.
      </p>
      {go.data && !isOther && <Note tone="info">Sign in as {me.person.email} in the other window.</Note>}
      {isOther && (
        <Note tone="bad" role="alert">
          You came back as {now.person.email}, so nothing was done. Sign in as {me.person.email} to go on.
        </Note>
      )}
      {go.data === false && (
        <Note tone="bad" role="alert">
          Your browser opened no window. Allow this page to open one and try again, or{' '}
          <button type="button" className="linkbutton" onClick={() => goHere.mutate()}>
            go there in this window
          </button>
          : then what you have typed here is lost.
        </Note>
      )}
    </FormDialog>
  )
}
