import { Suspense, useEffect, useState } from 'react'
import { lazily } from '../data/lazily'
import { onStepUp, type StepUpKind } from '../data/step-up'
import { LoadingDialog } from '../ui/toast'

const StepUpDialog = lazily(() => import('./step-up-dialog'))

type Waiting = { needed: StepUpKind; settle: (isProved: boolean) => void }

/** Asks for the proof that the server requires, then lets the request continue. */
export function StepUpWhenNeeded() {
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  useEffect(
    () =>
      onStepUp(
        (needed) =>
          new Promise((resolve) => {
            setWaiting({ needed, settle: resolve })
          }),
      ),
    [],
  )
  if (!waiting) return null
  const end = (isProved: boolean) => {
    waiting.settle(isProved)
    setWaiting(null)
  }
  return (
    <Suspense fallback={<LoadingDialog onClose={() => end(false)} />}>
      <StepUpDialog needed={waiting.needed} onEnd={end} />
    </Suspense>
  )
}
