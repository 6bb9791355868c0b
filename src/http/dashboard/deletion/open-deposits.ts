import type { Execution } from '../../../domain/execution/execution'
import { isTerminal, leftBehindStatuses, type Status } from '../../../domain/execution/status'
import type { TokenList } from '../../../domain/money/token'
import type { DepositQueries, DepositRecord, ExecutionQueries } from '../../../ports/queries'
import { isPublic } from '../../routes/execution-lookup'
import type { FindToken } from '../../views/find-token'
import { type FundsView, fundsOf, fundsOfUnrouted } from '../../views/funds'
import { type NextView, nextOf } from '../../views/next'

type Ports = {
  executionQueries: ExecutionQueries
  depositQueries: DepositQueries
  tokens: TokenList
  now: () => number
}

const shownMax = 100
const countedMax = 10_000

/**
 * An open deposit: where its money is, and who acts next. `status` is null before it has a route. `isShown` is false if
 * it can be opened only as a deposit, not as an execution.
 */
export type OpenDepositView = {
  id: string
  isShown: boolean
  userId: string
  status: Status | null
  funds: FundsView
  next: Pick<NextView, 'actor' | 'action' | 'message'>
}

/** `count` covers all of them, up to 10,000 of each kind. Only the first hundred are named. */
export type OpenDepositsView = { count: number; deposits: OpenDepositView[] }

const viewOf = (execution: Execution, findToken: FindToken, now: number): OpenDepositView => {
  const { id, userId, status } = execution
  const { actor, action, message } = nextOf(execution, now)
  const funds = fundsOf(execution, findToken)
  return { id, isShown: isPublic(execution), userId, status, funds, next: { actor, action, message } }
}

const confirming = {
  actor: 'SERVICE',
  action: 'CONFIRM',
  message: 'It waits for the confirmations of its chain.',
} as const

const seenView = ({ id, sighting }: DepositRecord, findToken: FindToken): OpenDepositView[] =>
  sighting
    ? [
        {
          ...{ id, isShown: false, userId: sighting.userId, status: null },
          ...{ funds: fundsOfUnrouted(sighting, findToken), next: confirming },
        },
      ]
    : []

/**
 * Returns the open deposits of an organization: under way, or ended with money that can still be moved. After the
 * organization is deleted, the platform's operators act on these.
 */
export async function openDepositsOf(ports: Ports, organizationId: string): Promise<OpenDepositsView> {
  const { executionQueries, depositQueries, tokens, now } = ports
  const findToken = tokens.find.bind(tokens)
  const unmoved = { organizationId, superseded: false, status: leftBehindStatuses }
  const [states, seen, unmovedCount, ended] = await Promise.all([
    executionQueries.countByState({ organizationId }, now()),
    depositQueries.list({ organizationId, stage: ['CONFIRMING'] }, { limit: countedMax }),
    executionQueries.count(unmoved, countedMax),
    executionQueries.list(unmoved, { limit: shownMax }),
  ])
  const open = states.filter(({ state }) => !isTerminal(state))
  const underWay = await Promise.all(
    [...new Set(open.map(({ state }) => state))].map((state) =>
      executionQueries.inState({ organizationId }, state, shownMax),
    ),
  )
  const views = [...ended, ...underWay.flat()].map((execution) => viewOf(execution, findToken, now()))
  return {
    count: open.reduce((sum, { count }) => sum + count, 0) + unmovedCount + seen.length,
    deposits: [...views, ...seen.slice(0, shownMax).flatMap((each) => seenView(each, findToken))].slice(0, shownMax),
  }
}
