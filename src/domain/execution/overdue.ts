import { type ChainId, chainOf } from '../chain/chain'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Returns after how many milliseconds without a new block, or without a block being scanned, a chain counts as standing
 * still.
 */
const standsAfterMs = (chainId: ChainId): number => Math.max(2 * minuteMs, 20 * chainOf(chainId).blockSeconds * 1_000)

/**
 * Where a kind of delay is read from. EXECUTION and DEPOSIT: a record of one organization. HEARTBEAT: a part that has
 * to report again and again that it is well. LOOKED_AT: something that is checked, and was not well at the last check.
 * EVENT: something that happened and stays news for a while. STORED: the store itself shows it.
 */
type Source = 'EXECUTION' | 'DEPOSIT' | 'HEARTBEAT' | 'LOOKED_AT' | 'EVENT' | 'STORED'
type Row = {
  source: Source
  /** How long it may last before an operator is told. For an event, how long it stays listed. */
  boundMs: number | ((chainId: ChainId) => number)
  actor: 'OPERATOR'
  action: 'INVESTIGATE' | 'RESUME' | 'RAISE_BUDGET' | 'APPROVE'
  /**
   * What is wrong, in words that the organization's people see too. `{chain}`, `{provider}` and `{subject}` stand for
   * names.
   */
  message: string
  /** What the person on call should do about it. */
  advice: string
  /**
   * The kind under which `next` of the affected executions or deposits mentions it; null when none is known to be
   * affected.
   */
  shownAs: string | null
}

const row = (source: Source, boundMs: Row['boundMs'], message: string, advice: string, shownAs: string | null = null) =>
  ({ source, boundMs, actor: 'OPERATOR', action: 'INVESTIGATE', message, advice, shownAs }) satisfies Row as Row
const execution = (boundMs: number, message: string, advice: string): Row =>
  row('EXECUTION', boundMs, `${message} The operators have been told.`, advice)

const lookAtWorkers = 'Check that workers run and that the database and NATS answer; then read the execution’s history.'

/**
 * The table of everything that can be overdue. Metrics, the log, the operators' page and `next` are read from it.
 * Nothing stays unfinished for longer than its bound without somebody being told (extensions 4.3; invariant I8).
 */
export const overdueKinds = {
  BUG: execution(
    0,
    'Something unexpected happened, and the execution waits.',
    'Find the error in the log by the execution’s id and mend it. The execution then goes on by itself.',
  ),
  RETRY: execution(2 * minuteMs, 'The next attempt is late.', lookAtWorkers),
  ROUTING: execution(2 * minuteMs, 'Finding a route is taking longer than it should.', lookAtWorkers),
  LANE: execution(
    30 * minuteMs,
    'An earlier deposit of this token has kept this one waiting for longer than it should.',
    'Look at the earlier execution of the same address and token: this one follows when that one has moved or ended.',
  ),
  PAUSE: {
    ...execution(
      4 * hourMs,
      'Routing has been paused for a long time; it goes on when the pause ends.',
      'End the pause, or tell those whose deposits wait.',
    ),
    action: 'RESUME',
  },
  BLOCK: execution(
    10 * minuteMs,
    'The blocks of the chain that it waits for are late.',
    'Check the chain’s nodes, and whether the chain itself stands still.',
  ),
  NODE: execution(
    10 * minuteMs,
    'The chain cannot be read reliably, so nothing is concluded from it.',
    'Check that each node of the chain answers and keeps up: what is worth much needs two that say the same. Then read ' +
      'in the log whether the contracts there differ from the configuration.',
  ),
  GAS: execution(
    2 * minuteMs,
    'Its transaction cannot be paid for, or has no place among others.',
    'Check what the relayers hold; fill up those that are low, or add a key.',
  ),
  PROVIDER: execution(
    2 * minuteMs,
    'The routing providers that it needs do not answer, or allow no more requests for now.',
    'Check how the providers are doing and whether they accept our credentials. Pause one that stays down.',
  ),
  QUOTA: execution(2 * minuteMs, 'Counting it against the organization’s quota takes too long.', lookAtWorkers),
  BUDGET: {
    ...execution(
      25 * hourMs,
      'A new day’s budget for sponsored gas did not reach it either.',
      'Raise the organization’s budget for sponsored gas, or have its key pay gas itself.',
    ),
    action: 'RAISE_BUDGET',
  },
  WORTH: {
    ...execution(
      2 * minuteMs,
      'Nobody independent can say whether what would arrive is worth what goes in; it goes on when two sources agree on ' +
        'the prices, or when an operator approves the least amount that may arrive.',
      'Compare its quotes with a market; approve the least amount that may arrive, or end it.',
    ),
    action: 'APPROVE',
  },
  SIGNER: execution(
    2 * minuteMs,
    'What signs its transaction cannot be reached, takes long to answer, or has signed as much of this token as it may ' +
      'in an hour.',
    'Check that the signer runs, that workers reach SIGNER_URL with its SIGNER_ACCESS_KEY, and what its log says; ' +
      'where the hour is full, whether what was signed is what should have been.',
  ),
  TOKEN: execution(
    4 * hourMs,
    'The issuer of the target token has stopped it on the destination chain for a long time.',
    'Read what the issuer says. If it stays stopped, have the integrator change the target, end the execution, then re-drive it.',
  ),
  PENDING: execution(
    2 * minuteMs,
    'Its transaction should have been sent by now.',
    'Check the chain’s nodes and what the relayer of its order holds; read the execution’s cause.',
  ),
  SUBMITTED: execution(
    10 * minuteMs,
    'Its transaction was sent but has not been mined, for longer than it should take. The money is being followed on the chain.',
    'Look for its transaction in an explorer, and check the relayer’s nonce and the chain’s nodes.',
  ),
  DELIVERY: execution(
    10 * minuteMs,
    'The delivery is taking longer than it should. The money is being followed on the chain.',
    'Ask the provider about the source transaction; end the execution only when it is certain that nothing comes.',
  ),
  ATTESTATION: execution(
    10 * minuteMs,
    'The USDC is burned, and Circle has not attested that yet, for longer than it should take. Once it has, the USDC ' +
      'can be minted for the recipient and for no other.',
    'Check Circle’s status page and that CCTP_URL is set, then ask Circle about the source transaction. A retry ' +
      'asks Circle at once; the execution cannot be ended.',
  ),
  MINT: execution(
    10 * minuteMs,
    'Circle has attested the transfer, and it is not minted yet, for longer than it should take. It can be minted by ' +
      'anybody, for the recipient and for no other.',
    'Check what our relayer on the target chain holds, and whether Circle has paused there or refuses the recipient. ' +
      'A retry tries at once, and anybody may send the call that the execution shows as mint.',
  ),
  CONFIRMING: row(
    'DEPOSIT',
    10 * minuteMs,
    'The chain should have confirmed this transfer by now. The operators have been told.',
    'Check that the scanner of the chain moves, then rescan the transaction.',
  ),
  WAKES: row(
    'STORED',
    2 * minuteMs,
    'Executions are due, and no worker carries them on.',
    'Check that workers run, that NATS answers and that they keep up with what arrives.',
    'ROUTING',
  ),
  SCANNER: row(
    'STORED',
    standsAfterMs,
    'The scanner of {chain} has stopped: deposits there are found late.',
    'Check that a scanner runs and that the chain’s nodes answer.',
    'CONFIRMING',
  ),
  HEAD: row(
    'LOOKED_AT',
    standsAfterMs,
    'The newest block of {chain} is old, or its nodes do not answer.',
    'Compare with an explorer: change the node when it is behind; pause the chain when it stands still.',
    'CONFIRMING',
  ),
  SWEEP: row(
    'HEARTBEAT',
    10 * minuteMs,
    'The balance sweep of {chain} makes no progress, so deposits without a log are not found there.',
    'Check that a scanner runs, and what it logs about the sweep of this chain.',
  ),
  RELAYER_GAS: row(
    'LOOKED_AT',
    0,
    'Relayer {subject} on {chain} holds too little for what is in flight and one order more.',
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
    '{provider} refuses our credentials: nobody asks it, and what needs it waits.',
    'Give the service a key that the provider takes; it goes on by itself.',
    'PROVIDER',
  ),
  PROVIDER_UNREADABLE: row(
    'LOOKED_AT',
    0,
    'What {provider} answers cannot be read, so it is not asked, and what needs it waits.',
    'The list of providers and the log (PROVIDER_UNREADABLE) say what cannot be read. Update the service; it goes on by ' +
      'itself.',
    'PROVIDER',
  ),
  PROVIDER_RESTS: row(
    'LOOKED_AT',
    2 * minuteMs,
    '{provider} keeps failing, so it is not asked for a while each time.',
    'Ask the provider, or pause it; deposits that only it can route wait.',
    'PROVIDER',
  ),
  WEBHOOK: row(
    'LOOKED_AT',
    0,
    'The webhook of {chain} has fallen silent: the scanner finds deposits there that it did not report.',
    'Check the webhook at Alchemy and its signing key. Nothing is lost meanwhile: deposits are found a little later.',
  ),
  NODE_BUDGET: row(
    'LOOKED_AT',
    0,
    'Most of today’s budget for requests to the nodes of {chain} is spent. Checks that can wait are made less often.',
    'Look at rpc_requests_total by method: raise RPC_BUDGET_PER_DAY, or find out what asks so often.',
  ),
  POISON: row(
    'EVENT',
    hourMs,
    'A wake-up could not be carried out, and was given up or keeps coming back.',
    'Find WAKE_REFUSED in the log. The sweeper wakes the execution as well.',
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

/** Something that belongs to no single organization, and the provider, relayer or chain that it concerns. */
export type Component = {
  kind: OverdueKind
  chainId: ChainId | null
  provider: string | null
  /** What else identifies it, such as a relayer's address. */
  subject: string | null
}

/**
 * What a process noted about a component, for all processes. `okAt` is when it was last well, and `at` when it was last
 * looked at, both in milliseconds since 1970.
 */
export type Observation = Component & {
  id: string
  okAt: number
  at: number
  /** What a relayer held when it was looked at, in wei, as a decimal string. */
  balanceRaw?: string
}

export const observationId = ({ kind, chainId, provider, subject }: Component): string =>
  [kind, chainId, provider, subject].filter((part) => part !== null).join(':')
