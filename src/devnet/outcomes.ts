export type Outcome = {
  outcome: string
  cause: string
  fromTokenSymbol: string
  amountIn: string
  how: string
}

const usdc = (amountIn: string) => ({ fromTokenSymbol: 'USDC', amountIn })
const sandbox = (fromTokenSymbol: string) => ({ fromTokenSymbol, amountIn: '25000000' })

/** The outside events that bring an execution to each status. The service does not read this table. */
export const outcomes: readonly Outcome[] = [
  {
    outcome: 'PENDING',
    cause: 'The source chain stops, and accepts no transactions, before the order is sent',
    ...usdc('25000000'),
    how: `It continues after curl -X PUT {devnet_url}/chains/:chainKey -d '{"mining":true}', or after the next deposit on that chain`,
  },
  {
    outcome: 'RUNNING',
    cause: 'The bridge holds the money until it is released',
    ...sandbox('SY-HOLD'),
    how: 'curl -X DELETE {devnet_url}/faults/bridge releases it',
  },
  {
    outcome: 'SUCCESS',
    cause: 'Nothing goes wrong',
    ...usdc('25000000'),
    how: 'Any token outside the sandbox, and the native coin, lead here too',
  },
  {
    outcome: 'FAILED',
    cause: 'The provider answers 503 twice, and then succeeds',
    ...sandbox('SY-FLAKY'),
    how: 'SY-DOWN stays FAILED until its retries are used up, which takes seconds, or minutes with RETRY_BASE_MS=60000 RETRY_MAX_MS=60000',
  },
  {
    outcome: 'DEAD_LETTER',
    cause: 'The source transaction reverts',
    ...sandbox('SY-REVERT'),
    how: 'SY-DOWN (the provider answers 503 until the retries are used up), SY-PARTIAL (another token is delivered) and SY-REFUND (the bridge sends it back) lead here too',
  },
  {
    outcome: 'TOKEN_BLACKLISTED',
    cause: 'The token is on the security list',
    ...sandbox('SY-SCAM'),
    how: '',
  },
  { outcome: 'FAILED_UNROUTABLE_MAIN', cause: 'Every provider answers "no route"', ...sandbox('SY-NOROUTE'), how: '' },
  {
    outcome: 'FAILED_INVALID_INPUT',
    cause: 'The token has 77 decimals',
    ...sandbox('SY-WEIRD'),
    how: 'SY-NOCAP, a token without a cap in the contracts, leads here too',
  },
  { outcome: 'FAILED_NO_FUNDS', cause: 'The token emits Transfer but moves nothing', ...sandbox('SY-GHOST'), how: '' },
  {
    outcome: 'FAILED_INSUFFICIENT_AFTER_FEES',
    cause: 'One atomic unit is sent, and gas is not sponsored',
    ...usdc('1'),
    how: '',
  },
  {
    outcome: 'QUOTA_EXCEEDED',
    cause: 'The organization has a quota of 0',
    ...usdc('25000000'),
    how: 'The address must belong to the organization sandbox-quota, such as that of its sandbox-user, because a new user is refused there',
  },
]

export const outcomeOf = (name: string): Outcome | undefined => outcomes.find(({ outcome }) => outcome === name)
