import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTenantName } from '../../tenant'
import { BeginPause, EndPause } from './pause-forms'
import { scopeName } from './pause-scopes'

type Props = { scope: string | null; isPaused?: boolean; children?: string }

/** Beside what it pauses or resumes. Without a scope it is asked what. */
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
      {isAsking && (isPaused && scope ? <EndPause scope={scope} onClose={close} /> : null)}
      {isAsking && !isPaused && <BeginPause scope={scope} onClose={close} />}
    </>
  )
}
