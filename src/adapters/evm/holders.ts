import { concatHex, decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { balanceLensAbi } from '../../../contracts/artifacts/abi'
import type { Address, Hex } from '../../domain/chain/hex'
import { inParts } from '../../domain/concurrency'
import { RoutingError } from '../../domain/error'
import type { AccountBalances } from '../../ports/chain-client'
import { balances } from './balances'
import { feedAbi, multicall3 } from './feeds/feed-abi'
import { asBytes, toQuantity } from './rpc/answers'
import { isRevert } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

/** Number of accounts that fit into the gas that nodes allow a call. */
const lensMax = 5_000

/**
 * Finds the accounts that hold a token through the lens contract. If the lens is missing or runs out of gas, it reads
 * one account after another.
 */
export function holders(ask: Ask, lens: Address) {
  const balanceOf = balances(ask)
  const calls = new WeakMap<readonly Address[], { token: Address; data: Hex }>()

  /** Encodes a page's call once, for callers that read the same page repeatedly. */
  function callOf(token: Address, accounts: readonly Address[]): Hex {
    const cached = calls.get(accounts)
    if (cached?.token === token) return cached.data
    const data = lensCall(token, accounts)
    calls.set(accounts, { token, data })
    return data
  }

  /** Returns `0x` if the call reverted or there is no such contract. */
  const view = async (to: Address, data: Hex, block: number): Promise<Hex> => {
    const answer = await ask('eth_call', [{ to, data }, toQuantity(block)]).catch((error) => {
      if (isRevert(error)) return '0x'
      throw error
    })
    return asBytes(answer)
  }

  async function holdersOf(token: Address, accounts: readonly Address[], block: number): Promise<AccountBalances> {
    const parts: AccountBalances[] = []
    for (const part of inParts(accounts, lensMax)) parts.push((await throughLens(part)) ?? (await oneByOne(part)))
    return { holding: parts.flatMap((part) => part.holding), unread: parts.flatMap((part) => part.unread) }

    async function throughLens(part: readonly Address[]): Promise<AccountBalances | null> {
      return heldIn(await view(lens, callOf(token, part), block), part)
    }

    async function oneByOne(part: readonly Address[]): Promise<AccountBalances> {
      const held: AccountBalances = { holding: [], unread: [] }
      await Promise.all(
        part.map(async (account) => {
          const balance = await read(account)
          if (balance === null) held.unread.push(account)
          else if (balance > 0n) held.holding.push({ account, balanceRaw: balance })
        }),
      )
      return held
    }

    async function read(account: Address): Promise<bigint | null> {
      try {
        return await balanceOf(token, account, block)
      } catch (error) {
        if (error instanceof RoutingError && error.code === 'TOKEN_NOT_SUPPORTED') return null
        throw error
      }
    }
  }

  /** Reads several tokens in one call through the lens. Tokens that it does not answer are read one after another. */
  async function holdersOfEach(tokens: readonly Address[], accounts: readonly Address[], block: number) {
    const atOnce = Math.max(1, Math.floor(lensMax / Math.max(1, accounts.length)))
    const all: AccountBalances[] = []
    for (let n = 0; n < tokens.length; n += atOnce) {
      const part = tokens.slice(n, n + atOnce)
      const held = part.length > 1 ? await atOneTime(part, accounts, block) : []
      for (const [m, token] of part.entries()) all.push(held[m] ?? (await holdersOf(token, accounts, block)))
    }
    return all
  }

  async function atOneTime(tokens: readonly Address[], accounts: readonly Address[], block: number) {
    const calls = tokens.map((token) => ({ target: lens, allowFailure: true, callData: lensCall(token, accounts) }))
    const data = encodeFunctionData({ abi: feedAbi, functionName: 'aggregate3', args: [calls] })
    const bytes = await view(multicall3, data, block)
    if (bytes === '0x') return []
    const results = decodeFunctionResult({ abi: feedAbi, functionName: 'aggregate3', data: bytes })
    return results.map(({ success, returnData }) => (success ? heldIn(returnData, accounts) : null))
  }

  return { holders: holdersOf, holdersOfEach }
}

const lensCall = (token: Address, accounts: readonly Address[]): Hex =>
  encodeFunctionData({ abi: balanceLensAbi, functionName: 'nonZero', args: [token, concatHex(accounts), 0n] })

/** Decodes the lens's answer, or returns null if there is none. */
function heldIn(answer: Hex, accounts: readonly Address[]): AccountBalances | null {
  if (answer === '0x') return null
  const [hits, failures] = decodeFunctionResult({ abi: balanceLensAbi, functionName: 'nonZero', data: answer })
  const holding = recordsOf(hits, 36).flatMap((record) => {
    const account = accounts[indexIn(record)]
    return account ? [{ account, balanceRaw: BigInt(`0x${record.slice(8)}`) }] : []
  })
  return { holding, unread: recordsOf(failures, 4).flatMap((record) => accounts[indexIn(record)] ?? []) }
}

/** Each record begins with the index of its account in four bytes. */
const indexIn = (record: string): number => Number.parseInt(record.slice(0, 8), 16)

/** Splits the records into strings of hexadecimal digits. */
function recordsOf(records: Hex, size: number): string[] {
  const parts: string[] = []
  for (let at = 2; at < records.length; at += size * 2) parts.push(records.slice(at, at + size * 2))
  return parts
}
