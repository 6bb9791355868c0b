import type { Facts } from '../domain/execution/execution'
import type { WaitReason } from '../domain/execution/wait-reason'

/** What is asked must be left alone for a while. Whoever needs it waits; that is no retry. */
export class Resting extends Error {
  override name = 'Resting'
  /** What was found out all the same. */
  readonly facts: Facts

  /** @param options.cause what a log may know of why. */
  constructor(
    readonly who: string,
    readonly askAgainInMs: number,
    readonly waitingFor: WaitReason,
    { facts = {}, ...options }: { cause?: unknown; facts?: Facts } = {},
  ) {
    super(`${who} is left alone for a while`, options)
    this.facts = facts
  }
}
