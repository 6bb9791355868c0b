// The responses of your server to the card, as the README defines them.

/** The progress of one deposit. The card itself waits while there is none. */
export const depositStates = ['SEEN', 'WAITING', 'ON_ITS_WAY', 'DELIVERED', 'REFUNDED', 'NEEDS_ATTENTION'] as const
export type DepositState = (typeof depositStates)[number]

/** One of the user's deposits. Amounts are in atomic units. */
export type CardDeposit = {
  id: string
  state: DepositState
  /** Stage of the deposit and status of the execution that has its money. More values may be added. */
  stage: string
  status: string | null
  createdAt: string
  completedAt: string | null
  amountIn: string
  fromTokenSymbol: string
  fromTokenDecimals: number | null
  fromChainName: string
  confirmations: number
  confirmationsRequired: number
  depositTxHash: string | null
  depositTxUrl: string | null
  /** Whether another deposit's execution has the money. */
  isTakenAlong: boolean
  /** Where the money is, who acts next, and how: `funds.holder`, `next.actor` and `next.action` of the API. */
  holder: string
  actor: string
  action: string
  /** The amount that reached the target or was refunded. Null until then. */
  amountOut: string | null
  toTokenSymbol: string | null
  toTokenDecimals: number | null
  toChainName: string | null
  arrivalTxHash: string | null
  arrivalTxUrl: string | null
}

/** A token to send. `minimumAmountIn` is in atomic units, and null while it is unknown. */
export type CardToken = {
  chainName: string
  symbol: string
  decimals: number
  minimumAmountIn: string | null
  paymentUri: string
}

export type CardData = {
  userId: string
  depositAddress: string
  /** The token that arrives, and its chain. Null until the user has a deposit intent. */
  targetTokenSymbol: string | null
  targetChainName: string | null
  tokens: CardToken[]
  notices: string[]
  /** The newest deposits, newest first. */
  deposits: CardDeposit[]
}
