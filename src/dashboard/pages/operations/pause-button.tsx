import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import { lazily } from '../../data/lazily'
import { useTenantName } from '../../data/tenant'
import { scopeName } from './pause-scopes'

/** The dialog is loaded on demand: the button can be on every page and is rarely used. */
const forms = () => import('./pause-forms')
const BeginPause = lazily(() => forms().then((m) => ({ default: m.BeginPause })))
const EndPause = lazily(() => forms().then((m) => ({ default: m.EndPause })))

type Props = {
  scope: string | null
  /** The pause to end; null or absent to start one. */
  pause?: { version: string } | null | undefined
  children?: string
}

/** Pauses or resumes a scope. Without a scope, the dialog asks for it. */
export function PauseButton({ scope, pause = null, children }: Props) {
  const nameOf = useTenantName()
  // The page refreshes while the dialog is open. The dialog keeps the state from its opening.
  const [opened, setOpened] = useState<{ version: string } | 'begin' | null>(null)
  const verb = pause ? 'Resume' : 'Pause'
  const close = () => setOpened(null)
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => setOpened(pause ?? 'begin')}
        aria-label={children ?? (scope ? `${verb} ${scopeName(scope, nameOf)}` : verb)}
      >
        {children ?? verb}
      </Button>
      <Suspense>
        {opened === 'begin' && <BeginPause scope={scope} onClose={close} />}
        {opened && opened !== 'begin' && scope && <EndPause scope={scope} version={opened.version} onClose={close} />}
      </Suspense>
    </>
  )
}
