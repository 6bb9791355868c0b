import { lazy, Suspense, useEffect, useState } from 'react'
import { onStepUp } from '../data/step-up'

const StepUpDialog = lazy(() => import('./step-up-dialog'))

type Settle = { settle: (isProved: boolean) => void }

/** Asks for a code when the server wants the second step proved again, and lets the request go on. */
export function StepUpWhenNeeded() {
  const [waiting, setWaiting] = useState<Settle | null>(null)
  useEffect(
    () =>
      onStepUp(
        () =>
          new Promise((resolve) => {
            setWaiting({ settle: resolve })
          }),
      ),
    [],
  )
  if (!waiting) return null
  return (
    <Suspense fallback={null}>
      <StepUpDialog
        onEnd={(isProved) => {
          waiting.settle(isProved)
          setWaiting(null)
        }}
      />
    </Suspense>
  )
}
