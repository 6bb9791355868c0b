import { concatHex, toFunctionSelector } from 'viem/utils'
import type { Address, Hex } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { isNative } from '../../domain/money/token'
import { asAmount, asBytes, toQuantity, toTopic } from './rpc/answers'
import { isRevert } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

const balanceOfSelector = toFunctionSelector('balanceOf(address)')

export const balanceCall = (token: Address, account: Address): { to: Address; data: Hex } => ({
  to: token,
  data: concatHex([balanceOfSelector, toTopic(account)]),
})

/** @throws {RoutingError} TOKEN_NOT_SUPPORTED if the token does not return a balance. */
export const balances =
  (ask: Ask) =>
  async (token: Address, account: Address, block: number | 'latest'): Promise<bigint> => {
    const at = block === 'latest' ? block : toQuantity(block)
    if (isNative(token)) return asAmount(await ask('eth_getBalance', [account, at]))
    const answer = asBytes(
      await ask('eth_call', [balanceCall(token, account), at]).catch((error) => {
        throw isRevert(error) ? new RoutingError('TOKEN_NOT_SUPPORTED', { cause: error }) : error
      }),
    )
    if (answer.length !== 66) {
      await ask('eth_chainId', []) // a node of another chain throws here
      throw new RoutingError('TOKEN_NOT_SUPPORTED', { cause: new Error('The token returns no balance') })
    }
    return BigInt(answer)
  }
