import { Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { Card, Trouble } from '../../ui/parts'
import { say } from '../../ui/toast'

/** Whether every member needs a second step. The owner who requires it must have one. */
export function SecondStepDemand() {
  const { me, organization } = useHere()
  const client = useQueryClient()
  const isOn = organization.demandsSecondStep
  const change = useMutation({
    mutationFn: (demandsSecondStep: boolean) =>
      ask('/organization/second-step', { method: 'PUT', body: { demandsSecondStep } }),
    onSuccess: (_, isDemanded) => {
      say(isDemanded ? 'Every member needs a second step now.' : 'The second step is optional again.')
      void client.invalidateQueries({ queryKey: ['me'] })
    },
  })
  return (
    <Card title="Second step">
      <div className="stack">
        <Switch
          label="Require a second step of every member"
          description={
            isOn || me.person.hasSecondStep
              ? 'Members without one must set it up before they see anything else of this organization.'
              : 'First set up your own second step, on the page Your account.'
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
