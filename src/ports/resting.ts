import type { Facts } from '../domain/execution/execution'
import type { WaitReason } from '../domain/execution/wait-reason'

/** Something has to be left alone for a while. Whoever needs it waits, which is not a retry. */
export class Resting extends Error {
  override name = 'Resting'
  /** What was found out in spite of that. */
  readonly facts: Facts

  /** @param options.cause The reason, for the log. */
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
