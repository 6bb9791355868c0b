import type { WaitReason } from '../domain/execution'

/** What is asked must be left alone for a while. Whoever needs it waits; that is no retry. */
export class Resting extends Error {
  override name = 'Resting'

  /** @param options.cause what a log may know of why. */
  constructor(
    readonly who: string,
    readonly askAgainInMs: number,
    readonly waitingFor: WaitReason,
    options: { cause?: unknown } = {},
  ) {
    super(`${who} is left alone for a while`, options)
  }
}
