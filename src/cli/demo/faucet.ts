import { BaseError, createPublicClient, encodeFunctionData, erc20Abi, HttpRequestError, http, TimeoutError } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { startMsMax } from '../../devnet/servers/until-ready'
import { type Address, type Hash, type Hex, zeroAddress } from '../../domain/chain/hex'
import { Failure } from '../terminal/failure'
import { humanAmount } from '../terminal/human-amount'

type FaucetTransfer = { token: Address; symbol: string; decimals: number; amountRaw: bigint; to: Address }

const pollMs = 50

/** @throws {Failure} if the node does not answer. */
export async function balanceOf(rpcUrl: string, token: Address, owner: Address): Promise<bigint> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const balance =
    token === zeroAddress
      ? client.getBalance({ address: owner })
      : client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  return balance.catch((error) => {
    if (!isUnreachable(error)) throw error
    throw new Failure('A node of the demo does not respond. If a fault stops it, DELETE that fault at the control URL.')
  })
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null

/**
 * Checks that the faucet can pay a deposit, before anything is sent. Some sandbox tokens report meaningless balances,
 * so a transfer that the chain would accept also passes.
 *
 * @throws {Failure} if the faucet cannot pay the amount.
 */
export async function requireBalance(rpcUrl: string, faucetKey: Hex, faucetTransfer: FaucetTransfer): Promise<void> {
  const { token, symbol, decimals, amountRaw, to } = faucetTransfer
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
  const [available, requested] = [balance, amountRaw].map((raw) => humanAmount(raw, decimals))
  throw new Failure(`The faucet has ${available} ${symbol} there, which is less than ${requested}. Nothing was sent.`)
}

/**
 * Waits until a transfer is mined, because a node also accepts a transaction that will revert.
 *
 * @returns false if it is not mined in time, for example on a stopped chain.
 * @throws {Failure} if the transfer reverted.
 */
export async function waitUntilMined(rpcUrl: string, hash: Hash): Promise<boolean> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const until = performance.now() + startMsMax
  while (performance.now() < until) {
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => null)
    if (receipt?.status === 'reverted') throw new Failure(`The transfer ${hash} reverted, so nothing was sent.`)
    if (receipt) return true
    await Bun.sleep(pollMs)
  }
  return false
}
