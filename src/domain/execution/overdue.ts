import { blockSecondsOf, type ChainId } from '../chain/chain'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Returns the time without a new block, or without a scanned block, after which a chain counts as stalled.
 * Milliseconds.
 */
const standsAfterMs = (chainId: ChainId): number => Math.max(2 * minuteMs, 20 * blockSecondsOf(chainId) * 1_000)

/**
 * Data source of a kind of delay.
 *
 * - EXECUTION and DEPOSIT: a record of one organization.
 * - HEARTBEAT: a component that must report regularly that it is healthy.
 * - LOOKED_AT: a component that is checked, and failed its last check.
 * - EVENT: an event that stays listed for a while.
 * - STORED: the store itself shows it.
 */
type Source = 'EXECUTION' | 'DEPOSIT' | 'HEARTBEAT' | 'LOOKED_AT' | 'EVENT' | 'STORED'
type Row = {
  source: Source
  /** Time limit before operators are alerted. For an event, how long it stays listed. */
  boundMs: number | ((chainId: ChainId) => number)
  actor: 'OPERATOR'
  action: 'INVESTIGATE' | 'RESUME' | 'RAISE_BUDGET' | 'APPROVE'
  /**
   * Description of the problem, also shown to the organization's members. `{chain}`, `{provider}` and `{subject}` stand
   * for names.
   */
  message: string
  /** Action for the person on call. */
  advice: string
  /**
   * Kind under which `next` of the affected executions or deposits mentions it; null if none is known to be affected.
   */
  shownAs: string | null
}

const row = (source: Source, boundMs: Row['boundMs'], message: string, advice: string, shownAs: string | null = null) =>
  ({ source, boundMs, actor: 'OPERATOR', action: 'INVESTIGATE', message, advice, shownAs }) satisfies Row as Row
const execution = (boundMs: number, message: string, advice: string): Row =>
  row('EXECUTION', boundMs, `${message} Operators have been alerted.`, advice)

const lookAtWorkers =
  'Check that workers run and that the database and NATS respond. Then read the execution’s history.'

/**
 * Everything that can be overdue. Metrics, the log, the operators' page and `next` read this table. Operators are
 * alerted to everything that exceeds its limit (extensions 4.3; invariant I8).
 */
export const overdueKinds = {
  BUG: execution(
    0,
    'An unexpected error occurred, and the execution waits.',
    'Find the error in the log by the execution’s id and fix it. The execution then continues automatically.',
  ),
  RETRY: execution(2 * minuteMs, 'The next attempt is late.', lookAtWorkers),
  ROUTING: execution(2 * minuteMs, 'Finding a route is taking longer than expected.', lookAtWorkers),
  LANE: execution(
    30 * minuteMs,
    'An earlier deposit of this token has delayed this one for longer than expected.',
    'Check the earlier execution of the same address and token. This one follows once that one has moved or ended.',
  ),
  PAUSE: {
    ...execution(
      4 * hourMs,
      'Routing has been paused for a long time. It continues when the pause ends.',
      'End the pause, or inform the integrators whose deposits wait.',
    ),
    action: 'RESUME',
  },
  BLOCK: execution(
    10 * minuteMs,
    'The execution waits for blocks of the chain, and they are late.',
    'Check the chain’s nodes, and whether the chain itself has stalled.',
  ),
  NODE: execution(
    10 * minuteMs,
    'The chain cannot be read reliably, so nothing is decided from it.',
    'Check that each node of the chain responds and keeps up: transfers of high value need two nodes that agree. Then ' +
      'check the log for contracts that differ from the configuration.',
  ),
  GAS: execution(
    2 * minuteMs,
    'The relayer cannot pay for the transaction, or has no free slot for it.',
    'Check the relayers’ balances. Top up those that are low, or add a key.',
  ),
  // A shut provider opens by itself. As long as for LANE, because the next deposits of a lane wait for its holder.
  PROVIDER: execution(
    30 * minuteMs,
    'The required routing providers do not respond, or their rate limits are used up.',
    'Check the providers’ state, and whether they accept our credentials. Pause a provider that stays down.',
  ),
  QUOTA: execution(2 * minuteMs, 'Counting it against the organization’s quota is taking too long.', lookAtWorkers),
  BUDGET: {
    ...execution(
      25 * hourMs,
      'The next day’s budget for sponsored gas was not enough either.',
      'Raise the organization’s budget for sponsored gas, or let its key pay gas itself.',
    ),
    action: 'RAISE_BUDGET',
  },
  WORTH: {
    ...execution(
      2 * minuteMs,
      'Independent prices cannot confirm the value of the output. The execution continues when two sources agree on the ' +
        'prices, or when an operator approves a minimum output.',
      'Compare its quotes with a market. Approve a minimum output, or end the execution.',
    ),
    action: 'APPROVE',
  },
  SIGNER: execution(
    2 * minuteMs,
    'The signer cannot be reached, responds slowly, does not accept the only route, or has reached its hourly limit ' +
      'for this token.',
    'Check that the signer runs, that workers reach SIGNER_URL with its SIGNER_ACCESS_KEY, and the signer’s log. If a ' +
      'worker’s log names an order that the signer refuses, give the signer the workers’ release and settings. If ' +
      'the hourly limit is reached, check that the signed orders are legitimate.',
  ),
  TOKEN: execution(
    4 * hourMs,
    'The issuer of the deposited or the target token has stopped it on its chain for a long time.',
    'Check the issuer’s announcements. If the target token stays stopped, have the integrator change the target, end the execution, then re-drive it.',
  ),
  PENDING: execution(
    2 * minuteMs,
    'The transaction should have been sent by now.',
    'Check the chain’s nodes and the balance of the order’s relayer. Read the execution’s cause.',
  ),
  SUBMITTED: execution(
    10 * minuteMs,
    'The transaction was sent, but mining is taking longer than expected. The money is being tracked on the chain.',
    'Find the transaction in an explorer. Check the relayer’s nonce and the chain’s nodes.',
  ),
  DELIVERY: execution(
    10 * minuteMs,
    'The delivery is taking longer than expected. The money is being tracked on the chain.',
    'Ask the provider about the source transaction. End the execution only if it is certain that nothing will arrive, ' +
      'for example because a later deposit is its refund.',
  ),
  ATTESTATION: execution(
    10 * minuteMs,
    'The USDC is burned, and Circle’s attestation is taking longer than expected. Once Circle attests the burn, the ' +
      'USDC can be minted for the recipient only.',
    'Check Circle’s status page and that CCTP_URL is set, then ask Circle about the source transaction. A retry ' +
      'queries Circle immediately. The execution cannot be ended.',
  ),
  MINT: execution(
    10 * minuteMs,
    'Circle has attested the transfer, but the mint is taking longer than expected. Anyone can mint it, for the ' +
      'recipient only.',
    'Check the balance of our relayer on the target chain, and whether Circle has paused there or refuses the ' +
      'recipient. A retry tries immediately, and anyone can send the call that the execution shows as mint.',
  ),
  CONFIRMING: row(
    'DEPOSIT',
    10 * minuteMs,
    'The chain should have confirmed this transfer by now. Operators have been alerted.',
    'Check that the scanner of the chain makes progress, then rescan the transaction.',
  ),
  WAKES: row(
    'STORED',
    2 * minuteMs,
    'Executions are due, and no worker processes them.',
    'Check that workers run, that NATS responds, and that the workers keep up with the load.',
    'ROUTING',
  ),
  SCANNER: row(
    'STORED',
    standsAfterMs,
    'The scanner of {chain} has stopped: deposits there are detected late.',
    'Check that a scanner runs and that the chain’s nodes respond.',
    'CONFIRMING',
  ),
  HEAD: row(
    'LOOKED_AT',
    standsAfterMs,
    'The newest block of {chain} is old, or its nodes do not respond.',
    'Compare with an explorer. If the node is behind, change it. If the chain has stalled, pause it.',
    'CONFIRMING',
  ),
  SWEEP: row(
    'HEARTBEAT',
    10 * minuteMs,
    'The balance sweep of {chain} makes no progress, so deposits without a log are not found there.',
    'Check that a scanner runs, and read its log about the sweep of this chain.',
  ),
  RELAYER_GAS: row(
    'LOOKED_AT',
    0,
    'Relayer {subject} on {chain} holds too little for its unmined transactions and one more order.',
    'Send native coin to it.',
    'GAS',
  ),
  RELAYER_DELEGATED: row(
    'LOOKED_AT',
    0,
    'Relayer {subject} on {chain} is a key that lets other code act for it (EIP-7702), so it sends one route at a time.',
    'Use another key, or end the delegation with this one. Find out who signed it: that code may spend the key’s coin.',
    'GAS',
  ),
  PROVIDER_REFUSES: row(
    'LOOKED_AT',
    0,
    '{provider} refuses our credentials. It gets no requests, and the executions that need it wait.',
    'Give the service a key that the provider accepts. Work then continues automatically.',
    'PROVIDER',
  ),
  PROVIDER_UNREADABLE: row(
    'LOOKED_AT',
    0,
    'Responses of {provider} cannot be read. The executions that need them wait.',
    'The list of providers and the log (PROVIDER_UNREADABLE) name the unreadable part, and the chains if only two are ' +
      'affected. Update the service; work then continues automatically. Money in flight stays in flight meanwhile.',
    'PROVIDER',
  ),
  PROVIDER_RESTS: row(
    'LOOKED_AT',
    30 * minuteMs,
    '{provider} keeps failing. It gets only an occasional probe until a request succeeds.',
    'Contact the provider, or pause it. Deposits that only it can route wait.',
    'PROVIDER',
  ),
  WEBHOOK: row(
    'LOOKED_AT',
    0,
    'The webhook of {chain} is silent: the scanner finds deposits there that the webhook did not report.',
    'Check the webhook at Alchemy and its signing key. Nothing is lost: deposits are detected a little later.',
  ),
  NODE_BUDGET: row(
    'LOOKED_AT',
    0,
    'Most of today’s budget for requests to the nodes of {chain} is used up. Checks that can wait run less often.',
    'Check rpc_requests_total by method. Raise RPC_BUDGET_PER_DAY, or find the source of the requests.',
  ),
  UNEXPLAINED: row(
    'LOOKED_AT',
    0,
    'Money on {chain} is not explained: {subject}.',
    'Read MONEY_UNEXPLAINED in the log of the workers, and run npx switchyard audit. docs/operations/alerts.md says ' +
      'what each sentence means.',
  ),
  AUDIT: row(
    'HEARTBEAT',
    49 * hourMs,
    'The money on {chain} has not been audited for two days.',
    'Check that a worker runs, and read its log about the audit. Then check the chain’s nodes and their budget.',
  ),
  POISON: row(
    'EVENT',
    hourMs,
    'A wake-up could not be processed. It was dropped after too many attempts, or is redelivered again and again.',
    'Find WAKE_REFUSED in the log. The sweeper also wakes the execution.',
    'ROUTING',
  ),
} as const satisfies Record<string, Row>

export type OverdueKind = keyof typeof overdueKinds
export const overdueNames = Object.keys(overdueKinds) as OverdueKind[]
export const overdueRow = (kind: OverdueKind): Row => overdueKinds[kind]
export const boundMsOf = (kind: OverdueKind, chainId: ChainId | null): number => {
  const { boundMs } = overdueRow(kind)
  return typeof boundMs === 'number' ? boundMs : boundMs(chainId!)
}

/** Whether delays of this kind concern one chain. */
export const isOfChain = (kind: OverdueKind): boolean => {
  const { source, message } = overdueRow(kind)
  return source === 'EXECUTION' || source === 'DEPOSIT' || message.includes('{chain}')
}

/** A component that belongs to no single organization, with the provider, relayer or chain that it concerns. */
export type Component = {
  kind: OverdueKind
  chainId: ChainId | null
  provider: string | null
  /** Further identification, such as a relayer's address. */
  subject: string | null
}

/**
 * One process's observation of a component, for all processes. `okAt` is when it was last healthy, and `at` when it was
 * last checked, both in milliseconds since 1970.
 */
export type Observation = Component & {
  id: string
  okAt: number
  at: number
  /** A relayer's balance at the check, in wei, as a decimal string. */
  balanceRaw?: string
}

export const observationId = ({ kind, chainId, provider, subject }: Component): string =>
  [kind, chainId, provider, subject].filter((part) => part !== null).join(':')
