import type { Execution } from '../execution/execution'

/**
 * How far a deposit is (extensions 3.1). `CONFIRMED` sightings are their execution. `UNSUPPORTED` is listed only where
 * it is asked for: by the stage, the token or the transaction (decision 43).
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

export type DepositStage = (typeof depositStages)[number]

type Asked = { stage?: readonly DepositStage[] | undefined; txHash?: unknown; fromTokenAddress?: unknown }

/** Whether those on no list are among what is asked for. */
export const asksForUnsupported = ({ stage, txHash, fromTokenAddress }: Asked): boolean =>
  stage?.includes('UNSUPPORTED') ?? (txHash !== undefined || fromTokenAddress !== undefined)

/** What a record's deposit is at: the one rule for the filter and for what is shown. */
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

/** The deposit that an execution routes: a re-drive's id is the deposit's with `:r` and a number. */
export const depositIdOfExecution = (id: string): string => id.replace(/:r[1-9][0-9]*$/, '')
