import { concatHex, hexToString, toFunctionSelector } from 'viem/utils'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { isNative } from '../../domain/money/token'
import { plainText } from '../../domain/plain-text'
import { asAmount, asBytes, asHash, asList, asObject, asWord, toQuantity, toTopic } from './rpc/answers'
import { isRevert } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

const balanceOfSelector = toFunctionSelector('balanceOf(address)')

const balanceCall = (token: Address, account: Address): { to: Address; data: Hex } => ({
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

/** The token computes its balances, so no storage slot holds one. */
export class NoBalanceSlot extends Error {
  override name = 'NoBalanceSlot'
}

/**
 * Finds the storage slot of an account's balance: among the slots that `balanceOf` reads, the slot that changes its
 * result.
 *
 * @throws {RoutingError} RPC_FAILED if there is none because the token computes its balances.
 */
export const balanceSlot =
  (ask: Ask) =>
  async (token: Address, account: Address, amount: bigint): Promise<Hash> => {
    const call = balanceCall(token, account)
    const read = asObject(await ask('eth_createAccessList', [{ ...call, from: account }, 'latest']))
    const own = asList(read['accessList'])
      .map(asObject)
      .filter(({ address }) => String(address).toLowerCase() === token.toLowerCase())
    const slots = own.flatMap(({ storageKeys }) => asList(storageKeys).map(asHash))
    const answers = await Promise.all(slots.map(answerWith))
    const slot = slots.find((_, n) => answers[n] === amount)
    if (slot) return slot
    throw new RoutingError('RPC_FAILED', {
      cause: new NoBalanceSlot('The token stores no balance that could be overridden'),
    })

    async function answerWith(slot: Hash): Promise<bigint | null> {
      const word = `0x${amount.toString(16).padStart(64, '0')}`
      const override = { [token]: { stateDiff: { [slot]: word } } }
      const answer = await ask<string>('eth_call', [call, 'latest', override]).catch(() => '0x')
      return answer.length === 66 ? asWord(answer) : null
    }
  }

const [symbolSelector, nameSelector, decimalsSelector] = (['symbol()', 'name()', 'decimals()'] as const).map((view) =>
  toFunctionSelector(view),
) as [Hex, Hex, Hex]
const textMax = 64

/** Reads a token's own metadata. Null if the token does not return its decimals. */
export const tokenMetadata =
  (ask: Ask) =>
  async (token: Address): Promise<{ symbol: string; name: string; decimals: number } | null> => {
    const [symbol, name, decimals] = await Promise.all([
      view(symbolSelector),
      view(nameSelector),
      view(decimalsSelector),
    ])
    if (decimals.length !== 66 || BigInt(decimals) > 255n) return null
    return { symbol: textOf(symbol), name: textOf(name), decimals: Number(decimals) }

    async function view(data: Hex): Promise<Hex> {
      const answer = await ask('eth_call', [{ to: token, data }, 'latest']).catch((error) => {
        if (isRevert(error)) return '0x'
        throw error
      })
      return asBytes(answer)
    }
  }

/**
 * Decodes a string, or 32 bytes as in the oldest tokens. Anyone may have written it, so characters that cannot be shown
 * are removed.
 */
function textOf(answer: Hex): string {
  if (answer.length < 66) return ''
  const isOld = answer.length === 66
  const length = isOld ? 32 : Number(`0x${answer.slice(66 + 48, 130)}`)
  const start = isOld ? 2 : 130
  const text = hexToString(`0x${answer.slice(start, start + Math.min(length, 4 * textMax) * 2)}`)
  return plainText(text, textMax)
}
