import { concatHex, encodeFunctionData, hashStruct, parseAbi, size, slice, toHex } from 'viem/utils'
import { BoundedMap } from '../../domain/bounded-map'
import { type ChainId, chainOf, chains, network } from '../../domain/chain/chain'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { isNative } from '../../domain/money/token'

/** Relay's refund if it cannot deliver. */
export type RelayRefund = {
  /** Whether the refund is on the destination chain instead of the source chain. */
  isDestination: boolean
  currency: Address
  minimumAmount: bigint
  deadline: number
  extraData: Hash
}

/** The parts of an order that only Relay can know; all the others follow from the intent. */
export type RelayTerms = {
  salt: Hash
  expectedAmount: bigint
  minimumAmount: bigint
  deadline: number
  extraData: Hash
  refunds: readonly RelayRefund[]
}

export type RelayParties = {
  solver: Address
  account: Address
  fromChainId: ChainId
  token: Address
  amount: bigint
  toChainId: ChainId
  tokenOut: Address
  recipient: Address
}

/** The base URL of Relay's API. The same paths are served on the test networks. */
export const relayUrl = network === 'testnet' ? 'https://api.testnets.relay.link' : 'https://api.relay.link'
/** Relay's depository has one address on all five chains. */
export const relayDepository: Address = '0x4cd00e387622c35bddb9b4c962c136462338bc31'
/** The solver that signs Relay's orders; only it may fill them. */
export const relaySolver: Address = '0xf70da97812CB96acDF810712Aa562db8dfA3dbEF'
const relaySolverChain = chains.base.relayName
/** Relay's name of a chain. */
export const relayChain = (id: ChainId): string => chainOf(id).relayName

export const depositoryAbi = parseAbi([
  'function depositErc20(address depositor, address token, uint256 amount, bytes32 id)',
  'function depositNative(address depositor, bytes32 id) payable',
])

const types = {
  Order: [
    { name: 'version', type: 'string' },
    { name: 'solverChainId', type: 'string' },
    { name: 'solver', type: 'address' },
    { name: 'salt', type: 'uint256' },
    { name: 'inputs', type: 'Input[]' },
    { name: 'output', type: 'Output' },
    { name: 'fees', type: 'Fee[]' },
  ],
  Input: [
    { name: 'payment', type: 'InputPayment' },
    { name: 'refunds', type: 'InputRefund[]' },
  ],
  InputPayment: [
    { name: 'chainId', type: 'string' },
    { name: 'currency', type: 'bytes' },
    { name: 'amount', type: 'uint256' },
    { name: 'weight', type: 'uint256' },
  ],
  InputRefund: [
    { name: 'chainId', type: 'string' },
    { name: 'recipient', type: 'bytes' },
    { name: 'currency', type: 'bytes' },
    { name: 'minimumAmount', type: 'uint256' },
    { name: 'deadline', type: 'uint32' },
    { name: 'extraData', type: 'bytes' },
  ],
  Output: [
    { name: 'chainId', type: 'string' },
    { name: 'payments', type: 'OutputPayment[]' },
    { name: 'deadline', type: 'uint32' },
    { name: 'calls', type: 'bytes[]' },
    { name: 'extraData', type: 'bytes' },
  ],
  OutputPayment: [
    { name: 'recipient', type: 'bytes' },
    { name: 'currency', type: 'bytes' },
    { name: 'minimumAmount', type: 'uint256' },
    { name: 'expectedAmount', type: 'uint256' },
  ],
  Fee: [
    { name: 'recipientChainId', type: 'string' },
    { name: 'recipient', type: 'bytes' },
    { name: 'currencyChainId', type: 'string' },
    { name: 'currency', type: 'bytes' },
    { name: 'amount', type: 'uint256' },
  ],
}

/** An order as Relay writes it, with chains by their names. */
export const relayOrder = (parties: RelayParties, terms: RelayTerms) => ({
  version: 'v1',
  solverChainId: relaySolverChain,
  solver: parties.solver,
  salt: terms.salt,
  inputs: [
    {
      payment: {
        chainId: relayChain(parties.fromChainId),
        currency: parties.token,
        amount: String(parties.amount),
        weight: '1',
      },
      refunds: terms.refunds.map(({ isDestination, currency, minimumAmount, deadline, extraData }) => ({
        chainId: relayChain(isDestination ? parties.toChainId : parties.fromChainId),
        recipient: isDestination ? parties.recipient : parties.account,
        currency,
        minimumAmount: String(minimumAmount),
        deadline,
        extraData,
      })),
    },
  ],
  output: {
    chainId: relayChain(parties.toChainId),
    payments: [
      {
        recipient: parties.recipient,
        currency: parties.tokenOut,
        minimumAmount: String(terms.minimumAmount),
        expectedAmount: String(terms.expectedAmount),
      },
    ],
    calls: [] as Hex[],
    deadline: terms.deadline,
    extraData: terms.extraData,
  },
  fees: [] as never[],
})

export type RelayOrder = ReturnType<typeof relayOrder>

/**
 * The hash of an order, which is the id of its deposit. It commits to every recipient, amount, token, chain and refund.
 */
export const relayOrderId = (order: object): Hash =>
  hashStruct({ types, primaryType: 'Order', data: order as Record<string, unknown> })

/**
 * Quote, draft and signature need the id of the same order, and hashing its nested structure takes 0.7 ms. They write
 * addresses in different cases for the same bytes. Nothing else in an order has capital letters.
 */
const hashed = new BoundedMap<string, Hash>(2_000)

/** The hash of the order of these parties and terms. The cache key contains everything that is hashed. */
export function relayOrderIdOf(parties: RelayParties, terms: RelayTerms): Hash {
  const order = relayOrder(parties, terms)
  const key = JSON.stringify(order).toLowerCase()
  const cached = hashed.get(key)
  if (cached) return cached
  const id = relayOrderId(order)
  hashed.set(key, id)
  return id
}

const word = (value: bigint | number | Hex): Hex =>
  typeof value === 'string' ? `0x${value.slice(2).padStart(64, '0')}` : toHex(value, { size: 32 })

/** The terms as appended to the arguments of a deposit. The depository does not read them. */
const relayWitness = ({ salt, expectedAmount, minimumAmount, deadline, extraData, refunds }: RelayTerms): Hex =>
  concatHex([
    ...[salt, expectedAmount, minimumAmount, deadline, extraData, refunds.length].map(word),
    ...refunds.flatMap((refund) =>
      [refund.isDestination ? 1n : 0n, refund.currency, refund.minimumAmount, refund.deadline, refund.extraData].map(
        word,
      ),
    ),
  ])

/** Reads the terms that were appended to a deposit's arguments. Returns null for bytes of another form. */
export function readRelayWitness(witness: Hex): RelayTerms | null {
  if (size(witness) < 192 || size(witness) % 32 !== 0) return null
  const words = Array.from({ length: size(witness) / 32 }, (_, n) => slice(witness, n * 32, n * 32 + 32))
  const [salt, expected, minimum, deadline, extraData, count, ...rest] = words as [Hex, Hex, Hex, Hex, Hex, Hex]
  const refunds = rest as Hex[]
  if (BigInt(refunds.length) !== BigInt(count) * 5n) return null
  return {
    salt,
    expectedAmount: BigInt(expected),
    minimumAmount: BigInt(minimum),
    deadline: Number(BigInt(deadline)),
    extraData,
    refunds: Array.from({ length: refunds.length / 5 }, (_, n) => {
      const [where, currency, least, until, data] = refunds.slice(n * 5, n * 5 + 5) as [Hex, Hex, Hex, Hex, Hex]
      return {
        isDestination: BigInt(where) === 1n,
        currency: slice(currency, 12) as Address,
        minimumAmount: BigInt(least),
        deadline: Number(BigInt(until)),
        extraData: data,
      }
    }),
  }
}

/**
 * A deposit call with a verifiable order: the depository takes the id, and the appended witness shows the terms behind
 * that id.
 */
export function relayDeposit(parties: RelayParties, terms: RelayTerms): Hex {
  const { account, token, amount } = parties
  const id = relayOrderIdOf(parties, terms)
  const call = isNative(token)
    ? encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [account, id] })
    : encodeFunctionData({ abi: depositoryAbi, functionName: 'depositErc20', args: [account, token, amount, id] })
  return concatHex([call, relayWitness(terms)])
}
