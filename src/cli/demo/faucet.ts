import { BaseError, createPublicClient, encodeFunctionData, erc20Abi, HttpRequestError, http, TimeoutError } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { type Address, type Hash, type Hex, zeroAddress } from '../../domain/chain/hex'
import { Failure } from '../terminal/failure'
import { humanAmount } from '../terminal/human-amount'

export type FaucetTransfer = { token: Address; symbol: string; decimals: number; amountRaw: bigint; to: Address }

const receiptMs = 10_000
const lookMs = 50

/** @throws {Failure} when the node does not answer. */
export async function balanceOf(rpcUrl: string, token: Address, owner: Address): Promise<bigint> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const asked =
    token === zeroAddress
      ? client.getBalance({ address: owner })
      : client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  return asked.catch((error) => {
    if (!isUnreachable(error)) throw error
    throw new Failure('A node of the demo does not answer. If a fault stops it, DELETE that fault at the control URL.')
  })
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null

/**
 * Before anything is sent. Some tokens of the sandbox tell no balance that means anything: what the chain would carry
 * out is not refused.
 *
 * @throws {Failure} when the faucet does not have that much.
 */
export async function requireBalance(rpcUrl: string, faucetKey: Hex, wanted: FaucetTransfer): Promise<void> {
  const { token, symbol, decimals, amountRaw, to } = wanted
  const faucet = privateKeyToAddress(faucetKey)
  const balance = await balanceOf(rpcUrl, token, faucet)
  if (balance >= amountRaw) return
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amountRaw] })
  const isPossible =
    token !== zeroAddress &&
    (await createPublicClient({ transport: http(rpcUrl) })
      .call({ account: faucet, to: token, data })
      .then(
        () => true,
        () => false,
      ))
  if (isPossible) return
  const [has, asked] = [balance, amountRaw].map((raw) => humanAmount(raw, decimals))
  throw new Failure(`The faucet has ${has} ${symbol} there, not ${asked}: nothing was sent.`)
}

/**
 * The node takes a transaction that fails, too.
 *
 * @returns whether it is mined; a chain that stands still says nothing.
 * @throws {Failure} when the chain has refused it.
 */
export async function waitUntilMined(rpcUrl: string, hash: Hash): Promise<boolean> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const until = performance.now() + receiptMs
  while (performance.now() < until) {
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => null)
    if (receipt?.status === 'reverted') throw new Failure(`The transfer ${hash} reverted: nothing was sent.`)
    if (receipt) return true
    await Bun.sleep(lookMs)
  }
  return false
}
