import { chains } from '../../domain/chain/chain'
import type { DepositView } from './deposit'
import { example } from './examples'

/** Three history entries of the deposit in all examples. Each example event shows the state at its entry. */
export const submitted = { seq: 8, timestamp: '2026-11-21T10:00:25.310Z' }

export const movedToPricing = {
  seq: 4,
  timestamp: '2026-11-21T10:00:23.900Z',
  transition: { event: 'route found', from: 'finding route', to: 'pricing fees' },
}

export const balanceVerified = {
  seq: 3,
  timestamp: '2026-11-21T10:00:22.400Z',
  transition: { event: 'balance verified', from: 'verifying balance', to: 'finding route' },
}

export const confirmedDeposit: DepositView = {
  id: example.depositId,
  userId: example.userId,
  depositAddress: example.depositAddress,
  stage: 'ROUTING',
  fromChainId: chains.base.id,
  fromChainKey: 'base',
  fromTokenSymbol: 'USDC',
  fromTokenAddress: example.baseUsdc,
  fromTokenDecimals: 6,
  toChainId: chains.arbitrum.id,
  toTokenAddress: example.arbitrumUsdc,
  amountIn: '25000000',
  fromAddress: example.sender,
  depositTxHash: example.depositTxHash,
  logIndex: 12,
  blockNumber: 38294117,
  confirmations: 10,
  confirmationsRequired: 10,
  detectedBy: ['WEBHOOK', 'SCANNER'],
  executionId: null,
  funds: {
    holder: 'DEPOSIT_ACCOUNT',
    address: example.depositAddress,
    chainId: chains.base.id,
    chainKey: 'base',
    tokenAddress: example.baseUsdc,
    tokenSymbol: 'USDC',
    tokenDecimals: 6,
    amount: '25000000',
    blockNumber: 38294117,
    refund: false,
  },
  next: {
    actor: 'SERVICE',
    action: 'ROUTE',
    expectedAt: '2026-11-21T10:00:32.400Z',
    by: '2026-11-21T10:02:22.400Z',
    message: 'The money is safe in the deposit account. A route is being sought.',
    executionId: null,
  },
  seq: 3,
  createdAt: '2026-11-21T10:00:02.118Z',
  confirmedAt: '2026-11-21T10:00:22.400Z',
  traceId: '58f35e92d1274d085b92e100900430e2',
  updatedAt: '2026-11-21T10:00:22.400Z',
}
