import { expect, test } from 'bun:test'
import { noted } from '../../machines/follow'
import type { WaitReason } from '../../src/domain/wait-reason'
import { happenedTo } from '../../src/http/views/event'
import { shown } from './shown-executions'

const around = {
  findToken: () => null,
  confirmationsRequired: () => 1,
  scannedBlock: () => 1,
  now: 100,
  isPlatform: false,
}

/** Its transaction was sent, then it began to wait. */
const waiting = (reason: WaitReason, since: number) => {
  const signed = shown(1, 10, { status: 'PENDING', state: 'PENDING' })
  const entry = { at: 20, event: 'order signed', from: 'signing order', to: 'PENDING', status: 'PENDING', note: null }
  const pending = noted(signed, entry as never)
  return { ...pending, facts: { ...pending.facts, waiting: { for: reason, since } } }
}
const toldOf = (execution: ReturnType<typeof waiting>) =>
  happenedTo(execution, 20, 21).map(({ tell }) => (tell(around).data as { next: { message: string } }).next.message)

test('what it began to wait for later is no news of what happened before', () => {
  expect(toldOf(waiting('PROVIDER', 25))).toEqual(['The route is found; its transaction is about to be sent.'])
})

test('what it waited for already is told', () => {
  expect(toldOf(waiting('GAS', 20))).toEqual(['It waits until its transaction can be paid for.'])
})
