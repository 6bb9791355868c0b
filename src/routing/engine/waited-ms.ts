import type { Execution } from '../../domain/execution/execution'
import type { WaitReason } from '../../domain/execution/wait-reason'

/** How long this has been waited for already: polls grow rarer with it. */
export const waitedMs = ({ facts: { waiting } }: Pick<Execution, 'facts'>, reason: WaitReason, now: () => number) =>
  waiting?.for === reason ? now() - waiting.since : 0
