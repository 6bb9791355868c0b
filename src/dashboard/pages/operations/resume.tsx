import { choicesOf } from '../../data/read'
import { useHere } from '../../data/session'
import type { DepositRow } from '../../data/types'
import { PauseButton } from './pause-button'
import { holds, mayEnd } from './pause-scopes'
import { usePauses } from './pauses'

type Waiting = Parameters<typeof holds>[1] & Pick<DepositRow, 'next'>

/** Ends the pause for which a deposit or an execution waits. Only members who may end it see the button. */
export function Resume({ of }: { of: Waiting }) {
  const { isOperator } = useHere()
  return isOperator && of.next.action === 'RESUME' && <Pausing of={of} />
}

function Pausing({ of }: { of: Waiting }) {
  const { organization } = useHere()
  return choicesOf(usePauses())
    .filter((pause) => mayEnd(pause, organization) && holds(pause, of, organization))
    .map((pause) => <PauseButton key={pause.scope} scope={pause.scope} pause={pause} />)
}
