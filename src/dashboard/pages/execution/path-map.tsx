import { Button, Slider } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { stateName } from '../../data/state-name'
import type { ExecutionDetail } from '../../data/types'
import { MachineMap } from '../../machine/machine-map'
import { useDirection } from '../../machine/use-direction'
import { useModel } from '../../machine/use-model'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { toneOfStatus } from '../../ui/status'

export const useIsNarrow = (): boolean => useMediaQuery('(max-width: 720px)') ?? false

type Props = { execution: ExecutionDetail; shown: number; onChoose: (step: number) => void }
/** The path of an execution through the state machine, up to an entry of its history, with a slider. */
export function PathMap({ execution: { history, status }, shown, onChoose }: Props) {
  const model = useModel()
  const direction = useDirection()
  const isNarrow = useIsNarrow()
  const last = history.length
  const stepText = (step: number) => `${step} of ${last}: ${stateName(history[step - 1]?.to ?? '')}`
  return (
    <Card
      title="Path through the state machine"
      side={
        shown >= last ? (
          <span className="sub tiny">
            {isNarrow ? 'Slide to step back' : 'Step back with ← and →'}. A number is the entry of the history that
            reached the state; entries that stay in a state have none.
          </span>
        ) : (
          <Button size="compact-sm" variant="light" onClick={() => onChoose(last)}>
            Back to now
          </Button>
        )
      }
    >
      <Loaded of={model} bones={<Bones rows={5} height={34} />}>
        {(machine) => (
          <MachineMap
            model={machine}
            direction={direction}
            path={history.slice(0, shown)}
            label="Path of this execution"
          />
        )}
      </Loaded>
      {last > 1 && (
        <Slider
          mt="sm"
          size="sm"
          min={1}
          max={last}
          value={shown}
          onChange={onChoose}
          label={stepText}
          thumbValueText={stepText}
          thumbLabel="Step of the history"
          color={`var(--sy-${toneOfStatus(status)})`}
        />
      )}
    </Card>
  )
}
