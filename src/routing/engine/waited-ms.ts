import type { Execution } from '../../domain/execution/execution'
import type { WaitReason } from '../../domain/execution/wait-reason'

/**
 * Returns for how many milliseconds the execution has been waiting for this reason. The longer it waits, the less often
 * it asks.
 */
export const waitedMs = ({ facts: { waiting } }: Pick<Execution, 'facts'>, reason: WaitReason, now: () => number) =>
  waiting?.for === reason ? now() - waiting.since : 0
