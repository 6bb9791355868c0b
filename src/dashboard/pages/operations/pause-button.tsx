import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import { lazily } from '../../data/lazily'
import { useTenantName } from '../../data/tenant'
import { LoadingDialog } from '../../ui/toast'
import { scopeName } from './pause-scopes'

/** The dialog is loaded on demand: the button can be on every page and is rarely used. */
const forms = () => import('./pause-forms')
const BeginPause = lazily(() => forms().then((m) => ({ default: m.BeginPause })))
const EndPause = lazily(() => forms().then((m) => ({ default: m.EndPause })))

type Props = {
  scope: string | null
  /** The pause to end; null or absent to start one. */
  pause?: { version: string } | null | undefined
  /** False hides the button, but not a dialog that is open. */
  isOffered?: boolean
  children?: string
}

/** Pauses or resumes a scope. Without a scope, the dialog asks for it. */
export function PauseButton({ scope, pause = null, isOffered = true, children }: Props) {
  const nameOf = useTenantName()
  // The page refreshes while the dialog is open. The dialog keeps the state from its opening.
  const [opened, setOpened] = useState<Pick<Props, 'scope' | 'pause'> | null>(null)
  const verb = pause ? 'Resume' : 'Pause'
  const close = () => setOpened(null)
  return (
    <>
      {isOffered && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => setOpened({ scope, pause })}
          aria-label={children ?? (scope ? `${verb} ${scopeName(scope, nameOf)}` : verb)}
        >
          {children ?? verb}
        </Button>
      )}
      <Suspense fallback={<LoadingDialog onClose={close} />}>
        {opened && !opened.pause && <BeginPause scope={opened.scope} onClose={close} />}
        {opened?.pause && opened.scope && (
          <EndPause scope={opened.scope} version={opened.pause.version} onClose={close} />
        )}
      </Suspense>
    </>
  )
}
