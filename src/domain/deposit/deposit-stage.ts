import type { Execution } from '../execution/execution'

/**
 * Progress of a deposit (extensions 3.1). A `CONFIRMED` sighting appears as its execution. `UNSUPPORTED` deposits are
 * listed only if the filter names a stage, token or transaction (decision 43).
 */
export const depositStages = [
  'CONFIRMING',
  'WAITING_FOR_INTENT',
  'QUEUED',
  'PAUSED',
  'ROUTING',
  'ROUTED',
  'RETURNED',
  'ORPHANED',
  'UNSUPPORTED',
] as const

/** Each stage in a few plain words, shown with its code. */
export const stageNames: Record<DepositStage, string> = {
  CONFIRMING: 'Confirming',
  WAITING_FOR_INTENT: 'Waiting for an intent',
  QUEUED: 'Queued',
  PAUSED: 'Paused',
  ROUTING: 'Finding a route',
  ROUTED: 'Routed',
  RETURNED: 'Returned by the bridge',
  ORPHANED: 'Reversed by the chain',
  UNSUPPORTED: 'Unlisted token',
}

export type DepositStage = (typeof depositStages)[number]

type StageFilter = { stage?: readonly DepositStage[] | undefined; txHash?: unknown; fromTokenAddress?: unknown }

/** Whether the filter includes deposits of unlisted tokens. */
export const includesUnsupported = ({ stage, txHash, fromTokenAddress }: StageFilter): boolean =>
  stage?.includes('UNSUPPORTED') ?? (txHash !== undefined || fromTokenAddress !== undefined)

/** Returns the stage of a record's deposit. The filter and the display share this one rule. */
export const stageOf = ({
  status,
  facts,
  refundOf,
}: Pick<Execution, 'status' | 'facts' | 'refundOf'>): DepositStage => {
  if (refundOf !== null) return 'RETURNED'
  if (status !== null) return 'ROUTED'
  switch (facts.waiting?.for) {
    case 'INTENT':
      return 'WAITING_FOR_INTENT'
    case 'LANE':
      return 'QUEUED'
    case 'PAUSE':
      return 'PAUSED'
    default:
      return 'ROUTING'
  }
}

/** Returns the id of the deposit that an execution routes. A re-drive's id is the deposit's with `:r` and a number. */
export const depositIdOfExecution = (id: string): string => id.replace(/:r[1-9][0-9]*$/, '')
