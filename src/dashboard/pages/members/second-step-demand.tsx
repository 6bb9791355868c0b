import { Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { Card, Trouble } from '../../ui/parts'
import { say } from '../../ui/toast'

/** Whether every member needs a second step. Whoever demands it must have one. */
export function SecondStepDemand() {
  const { me, organization } = useHere()
  const client = useQueryClient()
  const isOn = organization.demandsSecondStep
  const change = useMutation({
    mutationFn: (demandsSecondStep: boolean) =>
      ask('/organization/second-step', { method: 'PUT', body: { demandsSecondStep } }),
    onSuccess: (_, isDemanded) => {
      say(isDemanded ? 'Every member needs a second step from now on.' : 'A second step is up to each member again.')
      void client.invalidateQueries({ queryKey: ['me'] })
    },
  })
  return (
    <Card title="Second step">
      <div className="stack">
        <Switch
          label="Demand a second step of every member"
          description={
            isOn || me.person.hasSecondStep
              ? 'Whoever has none is led to set one up, and sees nothing else of this organization until then.'
              : 'Set up a second step of your own first, on the page of your account.'
          }
          checked={isOn}
          disabled={change.isPending || (!isOn && !me.person.hasSecondStep)}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
        <Trouble error={change.error} />
      </div>
    </Card>
  )
}
