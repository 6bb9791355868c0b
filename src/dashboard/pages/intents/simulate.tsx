import { useMutation } from '@tanstack/react-query'
import type { FirstStepsView } from '../../../http/dashboard/states'
import { ask } from '../../data/api'
import { allOf, choicesOf, ifLoaded } from '../../data/read'
import { useRead } from '../../data/use-read'
import { Unread } from '../../ui/loaded'
import { Card, Page } from '../../ui/parts'
import { SimulateForm } from './simulate-form'
import { Outcome } from './simulate-outcome'
import type { Simulated, SimulatedDeposit } from './simulated'
import { useTokens } from './tokens'

/** Simulates a deposit with the same steps as a real one. Nothing is stored or sent. */
export default function Simulate() {
  const listed = useTokens()
  const tokens = choicesOf(listed)
  const steps = useRead<FirstStepsView>(['first steps'], '/first-steps')
  const firstUser = ifLoaded(steps, ({ userId }) => userId)
  const simulate = useMutation({
    mutationFn: ({ user, token, amountInAtomic, target }: SimulatedDeposit) =>
      ask<Simulated>('/routing/simulate-deposit', {
        body: {
          userId: user,
          fromChainId: token.chainId,
          fromTokenSymbol: token.tokenSymbol,
          amountInAtomic,
          ...(target.chainId && { overrideTargetChainId: Number(target.chainId) }),
          ...(target.token && { overrideTargetTokenAddress: target.token }),
          ...(target.recipient && { overrideTargetAddress: target.recipient.trim() }),
        },
      }),
  })
  return (
    <Page title="Simulate" lead="See the route, fees and output of a deposit at current prices, without making one.">
      <div className="grid2">
        <Card title="The deposit">
          <Unread of={allOf(listed, steps)} />
          <SimulateForm
            tokens={tokens}
            firstUser={firstUser}
            isPending={simulate.isPending}
            onSimulate={simulate.mutate}
          />
        </Card>
        <Card title="What would happen">
          <Outcome
            tokens={tokens}
            decimalsIn={simulate.variables?.token.decimals ?? null}
            isPending={simulate.isPending}
            error={simulate.error}
            result={simulate.data}
          />
        </Card>
      </div>
    </Page>
  )
}
