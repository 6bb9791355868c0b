import { getAddress, hashTypedData, isAddress } from 'viem/utils'
import type { ChainId } from '../chain/chain'
import type { Address, Hash, Hex } from '../chain/hex'
import { arrivedRawOf } from '../money/amount'
import type { Execution } from './execution'
import { routeIdOf } from './route'
import { isTerminal, type TerminalStatus } from './status'

/** EIP-712 domain of receipts. A receipt covers two chains, so the domain names no chain and no contract. */
export const receiptDomain = { name: 'Switchyard receipt', version: '1' } as const

/**
 * EIP-712 types of a receipt. EIP-712 has no null, so an unknown part is an empty array, and a known part is an array
 * of one. `uint64` is a number in JSON, and `uint256` and `int256` are decimal strings: each value has one spelling.
 */
export const receiptTypes = {
  Receipt: [
    { name: 'executionId', type: 'string' },
    { name: 'status', type: 'string' },
    { name: 'causeCode', type: 'string' },
    { name: 'deposit', type: 'ReceiptDeposit' },
    { name: 'intent', type: 'ReceiptIntent[]' },
    { name: 'fees', type: 'ReceiptFees[]' },
    { name: 'route', type: 'ReceiptRoute[]' },
    { name: 'spent', type: 'ReceiptSpent[]' },
    { name: 'delivered', type: 'ReceiptDelivered[]' },
    { name: 'detectedAt', type: 'string' },
    { name: 'createdAt', type: 'string' },
    { name: 'completedAt', type: 'string' },
  ],
  ReceiptDeposit: [
    { name: 'chainId', type: 'uint64' },
    { name: 'account', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'blockNumber', type: 'uint64' },
    { name: 'txHash', type: 'bytes32[]' },
    { name: 'logIndex', type: 'uint64[]' },
  ],
  ReceiptIntent: [
    { name: 'version', type: 'uint64' },
    { name: 'chainId', type: 'uint64' },
    { name: 'token', type: 'address' },
    { name: 'recipient', type: 'address' },
  ],
  ReceiptFees: [
    { name: 'received', type: 'uint256' },
    { name: 'protocolFee', type: 'uint256' },
    { name: 'protocolFeeForgiven', type: 'uint256' },
    { name: 'gasFee', type: 'uint256' },
    { name: 'routed', type: 'int256' },
    { name: 'collected', type: 'bool' },
  ],
  ReceiptRoute: [
    { name: 'routeId', type: 'bytes32' },
    { name: 'provider', type: 'string' },
  ],
  ReceiptSpent: [
    { name: 'chainId', type: 'uint64' },
    { name: 'txHash', type: 'bytes32' },
    { name: 'blockNumber', type: 'uint64' },
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
  ReceiptDelivered: [
    { name: 'chainId', type: 'uint64' },
    { name: 'txHash', type: 'bytes32' },
    { name: 'blockNumber', type: 'uint64' },
    { name: 'token', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
} as const
type ReceiptTypes = Record<string, readonly { name: string; type: string }[]>

/** An unknown part is `[]`. */
type AtMostOne<Part> = [] | [Part]
type OnChain = { chainId: ChainId; txHash: Hash; blockNumber: number; token: Address; amount: string }

/** The signed part of a receipt: how one execution ended. Amounts are in atomic units, times are ISO 8601. */
export type ReceiptMessage = {
  executionId: string
  status: TerminalStatus
  /** Empty after SUCCESS. */
  causeCode: string
  deposit: {
    chainId: ChainId
    account: Address
    token: Address
    amount: string
    blockNumber: number
    txHash: AtMostOne<Hash>
    logIndex: AtMostOne<number>
  }
  intent: AtMostOne<{ version: number; chainId: ChainId; token: Address; recipient: Address }>
  fees: AtMostOne<{
    received: string
    protocolFee: string
    protocolFeeForgiven: string
    gasFee: string
    routed: string
    collected: boolean
  }>
  route: AtMostOne<{ routeId: Hash; provider: string }>
  spent: AtMostOne<OnChain>
  delivered: AtMostOne<OnChain & { recipient: Address }>
  detectedAt: string
  createdAt: string
  completedAt: string
}

const iso = (at: number): string => new Date(at).toISOString()
const atMostOne = <Part>(part: Part | null | undefined): AtMostOne<Part> =>
  part === null || part === undefined ? [] : [part]

/**
 * Returns the receipt of an execution; null while it has not ended. Every field is a fact that no later event changes:
 * a re-drive, an archived order or a successor leaves the receipt as it is.
 */
export function receiptOf(execution: Execution): ReceiptMessage | null {
  const { id, status, deposit, facts, cause, completedAt, createdAt } = execution
  if (status === null || !isTerminal(status) || completedAt === null) return null
  const { intent, fees, route, spent, delivery } = facts
  const routeId = facts.routeId ?? (intent && routeIdOf({ ...execution, executionId: id, intent }))
  const { chainId, block } = deposit
  const token = getAddress(deposit.token)
  return {
    executionId: id,
    status,
    causeCode: status === 'SUCCESS' ? '' : (cause?.code ?? ''),
    deposit: {
      chainId,
      account: getAddress(deposit.account),
      token,
      amount: String(arrivedRawOf(execution)),
      blockNumber: block,
      txHash: atMostOne(deposit.txHash),
      logIndex: atMostOne(deposit.logIndex),
    },
    intent: atMostOne(
      intent && {
        version: intent.version,
        chainId: intent.targetChainId,
        token: getAddress(intent.targetTokenAddress),
        recipient: getAddress(intent.targetAddress),
      },
    ),
    fees: atMostOne(
      fees && {
        received: fees.totalReceivedRaw,
        protocolFee: fees.protocolFeeEffective,
        protocolFeeForgiven: fees.protocolFeeForgiven,
        gasFee: fees.gasFeeRaw,
        routed: fees.amountForSwapRaw,
        collected: spent !== undefined,
      },
    ),
    route: atMostOne(routeId && { routeId, provider: route?.provider ?? '' }),
    spent: atMostOne(
      spent && { chainId, txHash: spent.hash, blockNumber: spent.block, token, amount: spent.amountRaw },
    ),
    delivered: atMostOne(
      delivery &&
        intent && {
          chainId: delivery.chainId,
          txHash: delivery.hash,
          blockNumber: delivery.block,
          token: getAddress(delivery.token),
          recipient: getAddress(intent.targetAddress),
          amount: delivery.amountRaw,
        },
    ),
    detectedAt: iso(deposit.detectedAt),
    createdAt: iso(createdAt ?? completedAt),
    completedAt: iso(completedAt),
  }
}

/** Returns the EIP-712 digest of a receipt. */
export const receiptDigest = (message: ReceiptMessage): Hash =>
  hashTypedData({ domain: receiptDomain, types: receiptTypes, primaryType: 'Receipt', message } as never)

/** A receipt with its proof, as the API returns it and a file holds it. */
export type SignedReceipt = {
  domain: typeof receiptDomain
  types: typeof receiptTypes
  primaryType: 'Receipt'
  message: ReceiptMessage
  digest: Hash
  signer: Address
  signature: Hex
}

/** The fields of a signed receipt in their order. */
export const receiptFields = ['domain', 'types', 'primaryType', 'message', 'digest', 'signer', 'signature'] as const

const wholeText = /^(0|[1-9][0-9]{0,77})$/
const forms: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  uint64: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  uint256: (value) => typeof value === 'string' && wholeText.test(value),
  int256: (value) => typeof value === 'string' && (wholeText.test(value) || /^-[1-9][0-9]{0,76}$/.test(value)),
  bytes32: (value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value),
  address: (value) => typeof value === 'string' && isAddress(value) && getAddress(value) === value,
}

/**
 * Returns the path of the first field that does not have its EIP-712 type; null if all have. A further field is wrong
 * too, because no signature covers it.
 */
export function misformedIn(value: unknown, type = 'Receipt', path = 'message'): string | null {
  const types: ReceiptTypes = receiptTypes
  if (type.endsWith('[]')) {
    if (!Array.isArray(value) || value.length > 1) return path
    return value.length === 0 ? null : misformedIn(value[0], type.slice(0, -2), `${path}[0]`)
  }
  const fields = types[type]
  if (!fields) return forms[type]!(value) ? null : path
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return path
  const extra = Object.keys(value).find((name) => !fields.some((field) => field.name === name))
  if (extra !== undefined) return `${path}.${extra}`
  for (const { name, type: of } of fields) {
    const wrong = misformedIn((value as Record<string, unknown>)[name], of, `${path}.${name}`)
    if (wrong !== null) return wrong
  }
  return null
}

/** Returns a sentence for each part of a receipt that contradicts another part. */
export function contradictionsIn({ status, deposit, intent, fees, spent, delivered }: ReceiptMessage): string[] {
  const [to, split, left, arrived] = [intent[0], fees[0], spent[0], delivered[0]]
  const isWhole = (parts: string[], whole: string) =>
    parts.reduce((sum, part) => sum + BigInt(part), 0n) === BigInt(whole)
  const rules: [boolean, string][] = [
    [!split || isWhole([split.protocolFee, split.gasFee, split.routed], split.received), 'The fees do not add up.'],
    [!split || split.collected === (left !== undefined), 'Fees are collected exactly when money left the account.'],
    [
      !left || (left.chainId === deposit.chainId && left.token === deposit.token),
      'The spent token or chain is not the deposit’s.',
    ],
    [!arrived || left !== undefined, 'Money was delivered that never left the account.'],
    [!arrived || arrived.recipient === to?.recipient, 'Money was delivered to another recipient.'],
    [status !== 'SUCCESS' || arrived !== undefined, 'A SUCCESS has no delivery.'],
    [
      status !== 'SUCCESS' || (arrived?.chainId === to?.chainId && arrived?.token === to?.token),
      'A SUCCESS delivered another token, or on another chain.',
    ],
  ]
  return rules.flatMap(([holds, sentence]) => (holds ? [] : [sentence]))
}
