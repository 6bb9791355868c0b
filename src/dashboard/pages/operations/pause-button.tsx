import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useTenantName } from '../../data/tenant'
import { scopeName } from './pause-scopes'

/** The dialog is loaded when it is opened: the button may be on every page, and hardly anybody presses it. */
const forms = () => import('./pause-forms')
const BeginPause = lazy(() => forms().then((m) => ({ default: m.BeginPause })))
const EndPause = lazy(() => forms().then((m) => ({ default: m.EndPause })))

type Props = { scope: string | null; isPaused?: boolean; children?: string }

/** Pauses or resumes a scope. Without one, the dialog asks what to pause. */
export function PauseButton({ scope, isPaused = false, children }: Props) {
  const nameOf = useTenantName()
  const [isAsking, setAsking] = useState(false)
  const verb = isPaused ? 'Resume' : 'Pause'
  const close = () => setAsking(false)
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => setAsking(true)}
        aria-label={children ?? (scope ? `${verb} ${scopeName(scope, nameOf)}` : verb)}
      >
        {children ?? verb}
      </Button>
      <Suspense>
        {isAsking && isPaused && scope && <EndPause scope={scope} onClose={close} />}
        {isAsking && !isPaused && <BeginPause scope={scope} onClose={close} />}
      </Suspense>
    </>
  )
}
