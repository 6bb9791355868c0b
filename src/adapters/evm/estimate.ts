import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi, serializeTransaction } from 'viem/utils'
import { type ChainId, chainOf } from '../../domain/chain/chain'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import type { Fee } from '../../domain/chain/relayer'
import type { Order } from '../../domain/execution/route'
import { isNative } from '../../domain/money/token'
import { draftAccount, type Executors, executorFor, isDraft, orderCall } from '../../protocols/executor/signed-order'
import { balanceSlot, balances } from './balances'
import type { Head } from './heads'
import { isCapUntouched } from './recovery-check'
import { asAmount, asWord, toQuantity } from './rpc/answers'
import { isRevert, isWithoutCap, revertError } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

type Overrides = Record<Address, { balance?: Hex; stateDiff?: Record<Hash, Hash> }>
type Parts = Executors & { chainId: ChainId; head: () => Promise<Head>; tip: () => Promise<bigint> }
type Draft = { to: Address; data: Hex; value: bigint }

/** Storage slot of the executor's `isSigner`. A test verifies it by estimating a draft against the real contract. */
const isSignerSlot = 1n
const yes: Hash = `0x${'1'.padStart(64, '0')}`
const plentyWei = 10n ** 24n

const gasPriceOracle: Address = '0x420000000000000000000000000000000000000F'
const oracleAbi = parseAbi([
  'function getL1Fee(bytes unsignedTransaction) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
])

/**
 * Estimates the gas of an order's transaction, including the account's deployment. A signed order is estimated against
 * the chain's current state. For a draft, state overrides list its signer, and add the deposit if it does not exist
 * yet.
 */
export function estimate(ask: Ask, { chainId, head, tip, ...executors }: Parts) {
  const { executor } = executors
  const balanceOf = balances(ask)
  const slotOf = balanceSlot(ask)

  return async (order: Order, sender: Address, isFunded = false): Promise<{ gasLimit: bigint; costWei: bigint }> => {
    const to = executorFor(order.kind, executors)
    if (!to) throw new TypeError('The order needs a RecoveryExecutor, and none is configured')
    const call = { to, data: orderCall(order), value: BigInt(order.nativeFee) }
    const request = { ...call, from: sender, value: toQuantity(call.value) }
    const isPretended = await isDraft(order)
    const gasOf = async (isThere: boolean): Promise<bigint> => {
      const overrides = isPretended ? [await pretended(order, sender, isThere)] : []
      return asAmount(await ask('eth_estimateGas', [request, 'latest', ...overrides]))
    }
    const gasLimit = await gasOf(isFunded)
      .catch((error) => {
        // This node may lag behind the node that showed the money.
        if (isPretended && isFunded && isRevert(error)) return gasOf(false)
        throw error
      })
      .catch(async (error) => {
        if (!isRevert(error)) throw error
        throw revertError(error, isWithoutCap(error) && (await isCapUntouched(ask, executor, order.token)))
      })
    const [{ baseFee }, tipWei] = await Promise.all([head(), tip()])
    const price = baseFee + tipWei
    return { gasLimit, costWei: gasLimit * price + (await rollupFee(call, gasLimit, { feeCap: price, tip: tipWei })) }
  }

  async function pretended(
    { account, token, amountIn }: Order,
    sender: Address,
    isFunded: boolean,
  ): Promise<Overrides> {
    const signer = { [mappingSlot(draftAccount.address, isSignerSlot)]: yes }
    const overrides: Overrides = { [executor]: { stateDiff: signer }, [sender]: { balance: toQuantity(plentyWei) } }
    const wanted = BigInt(amountIn)
    if (isFunded || (await balanceOf(token, account, 'latest')) >= wanted) return overrides
    if (isNative(token)) return { ...overrides, [account]: { balance: toQuantity(wanted) } }
    const slot = await slotOf(token, account, wanted)
    return { ...overrides, [token]: { stateDiff: { [slot]: toWord(wanted) } } }
  }

  /** Returns the data fee of a rollup, which the gas limit does not include. */
  async function rollupFee(call: Draft, gasLimit: bigint, { feeCap, tip: tipWei }: Fee): Promise<bigint> {
    if (chainOf(chainId).l1DataFee !== 'OP_STACK') return 0n
    const fees = { maxFeePerGas: feeCap, maxPriorityFeePerGas: tipWei }
    const bytes = serializeTransaction({ type: 'eip1559', chainId, nonce: 1_000_000, gas: gasLimit, ...fees, ...call })
    const oracle = (input: Hex) => ask('eth_call', [{ to: gasPriceOracle, data: input }, 'latest'])
    const operator = oracle(operatorFeeOf(gasLimit)).catch((error) => {
      if (isRevert(error)) return toWord(0n) // the function came with a later upgrade of the chain
      throw error
    })
    const [l1Fee, operatorFee] = await Promise.all([oracle(l1FeeOf(bytes)), operator])
    return asWord(l1Fee) + asWord(operatorFee)
  }
}

const l1FeeOf = (bytes: Hex): Hex => encodeFunctionData({ abi: oracleAbi, functionName: 'getL1Fee', args: [bytes] })
const operatorFeeOf = (gas: bigint): Hex =>
  encodeFunctionData({ abi: oracleAbi, functionName: 'getOperatorFee', args: [gas] })
/** Returns the call for the fee that an OP Stack chain adds for an amount of gas. */
export const operatorFeeCall = (gas: bigint) => ({ to: gasPriceOracle, data: operatorFeeOf(gas) })

const isSignerAbi = parseAbi(['function isSigner(address signer) view returns (bool)'])

/**
 * The call of whether the executor lists the signer of drafts. It returns true only on a node that applies state
 * overrides.
 */
export const readOnlyDraft = (executor: Address) => ({
  call: { to: executor, data: encodeFunctionData({ abi: isSignerAbi, args: [draftAccount.address] }) },
  overrides: { [executor]: { stateDiff: { [mappingSlot(draftAccount.address, isSignerSlot)]: yes } } } as Overrides,
  yes,
})

const mappingSlot = (key: Address, slot: bigint): Hash =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [key, slot]))
const toWord = (value: bigint): Hash => `0x${value.toString(16).padStart(64, '0')}`
