import type { MemberRole } from '../../domain/tenant/member-role'
import type { DepositDetailView } from '../../http/views/deposit'
import type { FullExecutionView } from '../../http/views/execution-full'
import type { SearchView } from '../../http/views/search'

export type { MemberRole }
export type ExecutionRow = FullExecutionView
export type DepositDetail = typeof DepositDetailView.infer
export type Search = SearchView

export type OrganizationView = {
  id: string
  name: string
  slug: string
  plan: string
  isPlatform: boolean
  monthlyExecutions: number | null
  /** 0: the plan has no sponsored gas. */
  sponsoredGasUsdPerDay: number
  createdAt: string
  role: MemberRole
}

export type Me = {
  person: { id: string; email: string; name: string; hasSecondStep: boolean; isVerified: boolean }
  sessionId: string
  organizations: OrganizationView[]
  canMail: boolean
}

export type KeyView = {
  id: string
  label: string
  role: 'CLIENT' | 'OPERATOR'
  prefix: string
  protocolFeeBps: number
  sponsoredGas: boolean
  createdAt: string
  createdBy: string | null
  lastUsedAt: string | null
  endsAt: string | null
  isRevoked: boolean
  revokedBy: string | null
  isUnused: boolean
}

export type HistoryRow = {
  seq: number
  at: string
  event: string
  from: string | null
  to: string
  status: string | null
  note: string | null
}

export type Lifecycle = {
  states: {
    state: string
    status: string | null
    kind: 'intake' | 'active' | 'terminal'
    tone: string
    description: string
  }[]
  transitions: { from: string; event: string; guard: string | null; to: string }[]
  statuses: { status: string; description: string; kind: string }[]
  retry: { retriesMax: number }
  causes: { code: string; message: string; advice: string; endsIn: string | null }[]
}

type Quote = {
  provider: string
  amountOutExpected: string | null
  amountOutMin: string | null
  expectedSeconds: number | null
  slippageBps: number | null
  hops: number | null
  outcome: string
  reason: string | null
  quotedAt: string
}

export type ExecutionDetail = ExecutionRow & {
  state: string
  machineVersion: string
  deposit: DepositRow
  intent: {
    version: number
    targetChainId: number
    targetChainKey: string
    targetTokenAddress: string
    targetAddress: string
    protocolFeeBps: number
    sponsoredGas: boolean
  } | null
  policy: { slippageBps: number; minOutputBps: number; maxDurationSeconds: number; maxHops: number }
  fees: {
    totalReceivedRaw: string
    protocolFeeRaw: string
    protocolFeeEffective: string
    protocolFeeForgiven: string
    gasFeeRaw: string
    amountForSwapRaw: string
    gasFeeSkipReason: string
    collected: boolean
  } | null
  quotes: Quote[]
  transactions: {
    role: string
    chainId: number
    chainKey: string
    txHash: string
    status: string
    blockNumber: number | null
    at: string
  }[]
  redriveOf: string | null
  redrivenBy: string | null
  refundOf: string | null
  continuedBy: string | null
  takenBy: string | null
  traceId: string
  history: HistoryRow[]
}

export type DepositRow = {
  id: string
  organizationId?: string
  userId: string
  depositAddress: string
  stage: string
  fromChainId: number
  fromChainKey: string
  fromTokenSymbol: string
  fromTokenAddress: string
  fromTokenDecimals: number | null
  amountIn: string
  fromAddress: string | null
  depositTxHash: string | null
  confirmations: number
  confirmationsRequired: number
  detectedBy: string[]
  executionId: string | null
  funds: { holder: string }
  next: {
    actor: string
    action: string
    expectedAt: string | null
    by: string | null
    message: string
    executionId: string | null
  }
  seq: number
  createdAt: string
  updatedAt: string
}
