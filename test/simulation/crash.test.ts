import { expect } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { advance } from '../../src/routing/engine/advance'
import type { Step } from '../../src/routing/engine/step'
import { hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'
import { depositId, order, world } from '../support/world'

/**
 * A process that dies at its n-th contact with the world, just before or just after it. Its next await never returns.
 */
class Process {
  private readonly dying = Promise.withResolvers<void>()
  readonly death = this.dying.promise
  private reached = 0

  constructor(private readonly diesAt: number) {}

  async act<Output>(action: () => Promise<Output>): Promise<Output> {
    await this.point()
    const output = await action()
    await this.point()
    return output
  }

  private point(): Promise<void> {
    this.reached += 1
    if (this.reached !== this.diesAt) return Promise.resolve()
    this.dying.resolve()
    return new Promise(() => {})
  }
}

// one load, three saves, three steps: before and after
const contacts = Array.from({ length: 14 }, (_, index) => index + 1)

testAll(contacts)('a crash at any point ends in SUCCESS with one order', async (diesAt) => {
  const submitted = new Set<string>()
  let signatures = 0
  const first = new Process(diesAt)
  const living = world({
    // Every signature is unique.
    signOrder: async () => ({ type: 'order signed', facts: { order: { ...order, id: hashOf(++signatures) } } }),
    submitOrder: async ({ facts }) => {
      expect(living.execution().facts.order).toEqual(facts.order!) // stored before it is sent
      submitted.add(facts.order!.id)
      return { type: 'transaction submitted' }
    },
  })
  const { executions, steps } = living
  const through =
    (step: Step): Step =>
    (record) =>
      first.act(() => step(record))
  const dying = {
    ...living,
    executions: {
      ...executions,
      load: (id: string) => first.act(() => executions.load(id)),
      save: (record: Execution) => first.act(() => executions.save(record)),
    },
    steps: {
      ...steps,
      signOrder: through(steps.signOrder),
      submitOrder: through(steps.submitOrder),
      confirmDelivery: through(steps.confirmDelivery),
    },
  }

  advance(depositId, false, dying).subscribe()
  await first.death

  expect((await living.run()).status).toBe('SUCCESS')
  expect(submitted.size).toBe(1)
})
