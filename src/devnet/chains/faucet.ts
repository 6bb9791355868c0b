import { encodeFunctionData, erc20Abi, getAddress } from 'viem'
import type { ChainKey } from '../../domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../domain/chain/hex'
import type { DevChain } from './dev-chain'
import { tokenOf } from './tokens'

export type Deposit = { chainKey: ChainKey; token: string; amountRaw: bigint; to: Address }

const tokenGas = 120_000n
/** Enough for a recipient that is a contract. */
const nativeGas = 60_000n

/** Sends a deposit from the faucet as an end user would. @returns the hash, once the node has accepted it. */
export async function sendDeposit(chain: DevChain, { token: name, amountRaw, to: recipient }: Deposit): Promise<Hex> {
  const token = tokenOf(chain.id, name)
  if (!token) throw new Error(`There is no token ${name} on ${chain.key}`)
  const to = getAddress(recipient.toLowerCase())
  if (token.address === zeroAddress) return chain.faucet.send({ to, value: amountRaw, gas: nativeGas })
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amountRaw] })
  return chain.faucet.send({ to: token.address, data, gas: tokenGas })
}
