export type Outcome = {
  outcome: string
  cause: string
  fromTokenSymbol: string
  amountIn: string
  how: string
}

const usdc = (amountIn: string) => ({ fromTokenSymbol: 'USDC', amountIn })
const sandbox = (fromTokenSymbol: string) => ({ fromTokenSymbol, amountIn: '25000000' })

/** What has to happen in the world for an execution to come to each status. The service knows none of it. */
export const outcomes: readonly Outcome[] = [
  {
    outcome: 'PENDING',
    cause: 'The source chain stops, and takes no transactions, before the order is sent',
    ...usdc('25000000'),
    how: `It goes on with curl -X PUT {devnet_url}/chains/:chainKey -d '{"mining":true}', or with the next deposit on that chain`,
  },
  {
    outcome: 'RUNNING',
    cause: 'The bridge holds the money until it is released',
    ...sandbox('SY-HOLD'),
    how: 'curl -X DELETE {devnet_url}/faults/bridge releases it',
  },
  {
    outcome: 'SUCCESS',
    cause: 'Nothing stands in its way',
    ...usdc('25000000'),
    how: 'Likewise any token that is not of the sandbox, or native',
  },
  {
    outcome: 'FAILED',
    cause: 'The provider answers 503 twice, then it succeeds',
    ...sandbox('SY-FLAKY'),
    how: 'SY-DOWN stays FAILED until its retries are used up: some seconds, minutes with RETRY_BASE_MS=60000 RETRY_MAX_MS=60000',
  },
  {
    outcome: 'DEAD_LETTER',
    cause: 'The provider answers 503 for ever, until the retries are used up',
    ...sandbox('SY-DOWN'),
    how: 'Also SY-REVERT (the source transaction reverts), SY-PARTIAL (another token is delivered), SY-REFUND (sent back)',
  },
  {
    outcome: 'TOKEN_BLACKLISTED',
    cause: 'The token is on the security list of the seed',
    ...sandbox('SY-SCAM'),
    how: '',
  },
  { outcome: 'FAILED_UNROUTABLE_MAIN', cause: 'Every provider answers "no route"', ...sandbox('SY-NOROUTE'), how: '' },
  { outcome: 'FAILED_INVALID_INPUT', cause: 'A token with 77 decimals', ...sandbox('SY-WEIRD'), how: '' },
  { outcome: 'FAILED_NO_FUNDS', cause: 'The token emits Transfer and moves nothing', ...sandbox('SY-GHOST'), how: '' },
  {
    outcome: 'FAILED_INSUFFICIENT_AFTER_FEES',
    cause: 'One atomic unit, with a key without sponsored gas',
    ...usdc('1'),
    how: '',
  },
  {
    outcome: 'QUOTA_EXCEEDED',
    cause: 'The organization has a quota of 0',
    ...usdc('25000000'),
    how: 'Only to an address of the seeded organization sandbox-quota, such as its sandbox-user’s: a new user is refused there',
  },
]

export const outcomeOf = (name: string): Outcome | undefined => outcomes.find(({ outcome }) => outcome === name)
