import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useTenantName } from '../../data/tenant'
import { scopeName } from './pause-scopes'

/** The dialog is loaded when it is opened: the button may be on every page, and hardly anybody presses it. */
const forms = () => import('./pause-forms')
const BeginPause = lazy(() => forms().then((m) => ({ default: m.BeginPause })))
const EndPause = lazy(() => forms().then((m) => ({ default: m.EndPause })))

type Props = {
  scope: string | null
  /** The pause that is shown, which is ended. Null or absent to pause. */
  pause?: { version: string } | null | undefined
  children?: string
}

/** Pauses or resumes a scope. Without one, the dialog asks what to pause. */
export function PauseButton({ scope, pause = null, children }: Props) {
  const nameOf = useTenantName()
  // The page is read again while the dialog is open. The dialog stays with what was shown when it was opened.
  const [asked, setAsked] = useState<{ version: string } | 'begin' | null>(null)
  const verb = pause ? 'Resume' : 'Pause'
  const close = () => setAsked(null)
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => setAsked(pause ?? 'begin')}
        aria-label={children ?? (scope ? `${verb} ${scopeName(scope, nameOf)}` : verb)}
      >
        {children ?? verb}
      </Button>
      <Suspense>
        {asked === 'begin' && <BeginPause scope={scope} onClose={close} />}
        {asked && asked !== 'begin' && scope && <EndPause scope={scope} version={asked.version} onClose={close} />}
      </Suspense>
    </>
  )
}
