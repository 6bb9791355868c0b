import { concatHex, decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { balanceLensAbi } from '../../../contracts/artifacts/abi'
import type { Address, Hex } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { Holding } from '../../ports/chain-client'
import { balances } from './balances'
import { asBytes, toQuantity } from './rpc/answers'
import { isRevert } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

type Held = { holding: Holding[]; unread: Address[] }

/** As many accounts as fit within the gas that nodes allow a call. */
const lensMax = 5_000

/**
 * Finds the accounts that hold a token: by the lens contract, or one by one when the lens is missing or runs out of
 * gas.
 */
export const holders = (ask: Ask, lens: Address) => {
  const balanceOf = balances(ask)
  return async (token: Address, accounts: readonly Address[], block: number): Promise<Held> => {
    const parts: Held[] = []
    for (let n = 0; n < accounts.length; n += lensMax) {
      const part = accounts.slice(n, n + lensMax)
      parts.push((await throughLens(part)) ?? (await oneByOne(part)))
    }
    return { holding: parts.flatMap((part) => part.holding), unread: parts.flatMap((part) => part.unread) }

    async function throughLens(part: readonly Address[]): Promise<Held | null> {
      const args = [token, concatHex(part), 0n] as const
      const data = encodeFunctionData({ abi: balanceLensAbi, functionName: 'nonZero', args })
      const answer = await ask('eth_call', [{ to: lens, data }, toQuantity(block)]).catch((error) => {
        if (isRevert(error)) return '0x'
        throw error
      })
      const bytes = asBytes(answer)
      if (bytes === '0x') return null
      const [hits, failures] = decodeFunctionResult({ abi: balanceLensAbi, functionName: 'nonZero', data: bytes })
      const holding = recordsOf(hits, 36).flatMap((record) => {
        const account = part[indexIn(record)]
        return account ? [{ account, balanceRaw: BigInt(`0x${record.slice(8)}`) }] : []
      })
      return { holding, unread: recordsOf(failures, 4).flatMap((record) => part[indexIn(record)] ?? []) }
    }

    async function oneByOne(part: readonly Address[]): Promise<Held> {
      const held: Held = { holding: [], unread: [] }
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
}

/** Each record begins with the index of its account in four bytes. */
const indexIn = (record: string): number => Number.parseInt(record.slice(0, 8), 16)

/** The records as hexadecimal digits. */
function recordsOf(records: Hex, size: number): string[] {
  const found: string[] = []
  for (let at = 2; at < records.length; at += size * 2) found.push(records.slice(at, at + size * 2))
  return found
}
