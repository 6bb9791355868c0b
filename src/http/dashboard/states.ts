import { Elysia } from 'elysia'
import { aged } from '../../domain/aged'
import { chainKeyOf } from '../../domain/chain/chain'
import type { Execution } from '../../domain/execution/execution'
import { keyPrefixOf } from '../../domain/tenant/api-key-format'
import type { Faucet } from '../../ports/chain-client'
import type { ExecutionQueries, StateCount } from '../../ports/queries'
import type { Accounts, DepositIntents } from '../../ports/tenants'
import type { EventLog } from '../../ports/webhooks'
import { isPublic } from '../routes/execution-lookup'
import { isoTime, isoTimeOrNull } from '../views/scalar'
import { everybody, memberSession, type SessionPorts, tenantOf } from './member-session'
import { receiverPath } from './receiver'
import { type StateDuration, stateDurations } from './state-durations'

type Ports = SessionPorts & {
  executionQueries: ExecutionQueries
  eventLog: Pick<EventLog, 'positionBefore' | 'after'>
  faucet: Faucet | null
  accounts: Pick<Accounts, 'beginningWith'>
  intents: DepositIntents
}

const freshMs = 800
const hourMs = 3_600_000
const durationsFreshMs = 15_000
const sampleMax = 400
/** Enough for the sample: a routed deposit has eleven events. */
const eventsMax = 5_000
const inStateMax = 20
const firstAccountsMax = 100

/**
 * Returns an execution as a line of a list. `isShown` is false if it can be opened only as a deposit, not as an
 * execution.
 */
const lineOf = ({ id, userId, status, deposit, facts, history, ...linked }: Execution) => ({
  id,
  userId,
  status,
  fromChainKey: chainKeyOf(deposit.chainId),
  toChainKey: facts.intent ? chainKeyOf(facts.intent.targetChainId) : null,
  fromTokenSymbol: deposit.symbol,
  fromTokenDecimals: deposit.decimals,
  amountIn: deposit.amountRaw,
  isShown: isPublic(linked),
  detectedAt: isoTime(deposit.detectedAt),
  updatedAt: isoTime(history.at(-1)?.at ?? deposit.detectedAt),
})

/** A line of the executions in a state. `organizationId` is for the platform's operators. */
export type LineView = ReturnType<typeof lineOf> & { organizationId?: string }

const stateCountView = ({ oldestAt, enteredAt, ...row }: StateCount) => ({
  ...row,
  oldestAt: isoTime(oldestAt),
  enteredAt: isoTimeOrNull(enteredAt),
})
export type StateCountView = ReturnType<typeof stateCountView>

export type FirstStepsView = {
  hasIntent: boolean
  userId: string | null
  hasFaucet: boolean
  /** The first characters of each new key. */
  keyPrefix: string
  /** Where webhooks can be posted for a trial; null where money is real. */
  receiverUrl: string | null
}

/**
 * Serves how many executions are in each state, and how long they stay there. The platform's operators see all
 * executions.
 */
export function stateRoutes(ports: Ports) {
  const { now } = ports
  const count = (organizationId: string | null) => ports.executionQueries.countByState({ organizationId }, now())
  const counts = aged(count, { now, forMs: freshMs, from: 'START' })
  const durations = aged(durationsOf, { now, forMs: durationsFreshMs, from: 'START' })

  async function durationsOf(organizationId: string | null): Promise<StateDuration[]> {
    const from = ports.now() + 1 - hourMs
    const start = await ports.eventLog.positionBefore(from)
    const happened = await ports.eventLog.after(start, { organizationId }, eventsMax)
    const ids = new Set(happened.filter(({ seq }) => seq > 0).map(({ dataId }) => dataId))
    const moved = await ports.executionQueries.findAll([...ids].slice(0, sampleMax))
    const histories = moved.map(({ history }) => history)
    return stateDurations(histories, from, happened.length < eventsMax && ids.size <= sampleMax)
  }

  return new Elysia()
    .use(memberSession(ports, everybody))
    .get('/states', async ({ session }) => {
      const states = await counts.get(tenantOf(session))
      return states.map(stateCountView)
    })
    .get('/states/dwell', ({ session }) => durations.get(tenantOf(session)))
    .get('/first-steps', async ({ session }): Promise<FirstStepsView> => {
      const userId = await firstUser(ports, session.organization.id)
      const hasFaucet = ports.faucet !== null
      const receiverUrl = hasFaucet ? ports.origin + receiverPath : null
      return { hasIntent: userId !== null, userId, hasFaucet, keyPrefix: keyPrefixOf(hasFaucet), receiverUrl }
    })
    .get('/states/:state', async ({ session, params }): Promise<LineView[]> => {
      const tenant = { organizationId: tenantOf(session) }
      const executions = await ports.executionQueries.inState(tenant, decodeURIComponent(params.state), inStateMax)
      const whose = ({ organizationId }: Execution) => (session.organization.isPlatform ? { organizationId } : {})
      return executions.map((execution) => ({ ...lineOf(execution), ...whose(execution) }))
    })
}

/** Returns the first user with an intent, among the first users of an organization. */
async function firstUser({ accounts, intents }: Ports, organizationId: string): Promise<string | null> {
  for (const { id, userId } of await accounts.beginningWith({ organizationId }, '', firstAccountsMax))
    if (await intents.load(id)) return userId
  return null
}
