import { asBytes } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import type { Holders } from '../domain/chain/account'
import { type ChainKey, chains } from '../domain/chain/chain'
import { type Address, type Hex, isDelegation } from '../domain/chain/hex'
import { roleNames as roles } from './steps'

type Reached = { key: ChainKey; ask: Ask }

/**
 * Why a role must not be given to its live holder on a chain, in sentences. The contracts take any address: a multisig
 * that does not exist there could be created there by a stranger, or never.
 */
export async function holderObjections(reached: readonly Reached[], live: Holders): Promise<Map<ChainKey, string[]>> {
  const codes = await Promise.all(
    reached.map(async ({ key, ask }) => {
      const read = roles.map(async (role) => asBytes(await ask('eth_getCode', [live[role], 'latest'])))
      return { key, codes: await Promise.all(read) }
    }),
  )
  const elsewhere = roles.map((_, n) => codes.find((each) => isCode(each.codes[n]!))?.key)
  return new Map(
    codes.map(({ key, codes: here }) => {
      const { name } = chains[key]
      const sentences = roles.flatMap((role, n) => {
        const holder = `The live ${role} ${live[role]}`
        if (isDelegation(here[n]!)) return [`${holder} is a key with delegated code (EIP-7702) on ${name}.`]
        const other = elsewhere[n]
        if (other === undefined || isCode(here[n]!)) return []
        return [`${holder} has code on ${chains[other].name} and none on ${name}. Create that multisig there first.`]
      })
      return [key, sentences]
    }),
  )
}

const isCode = (code: Hex): boolean => code !== '0x' && !isDelegation(code)

/** The relayers of a chain that are keys with delegated code, in sentences. They would send one route at a time. */
export async function relayerObjections({ key, ask }: Reached, relayers: readonly Address[]): Promise<string[]> {
  const codes = await Promise.all(relayers.map(async (each) => asBytes(await ask('eth_getCode', [each, 'latest']))))
  return relayers.flatMap((each, n) => (isDelegation(codes[n]!) ? [delegatedRelayer(each, chains[key].name)] : []))
}

export const delegatedRelayer = (relayer: Address, chain: string): string =>
  `The relayer ${relayer} is a key with delegated code (EIP-7702) on ${chain}. Nodes accept one of its transactions at a time, and that code can spend its coin.`
