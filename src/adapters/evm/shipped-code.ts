import { existsSync } from 'node:fs'
import { network } from '../../domain/chain/chain'
import type { ShippedCode } from '../../domain/chain/deployment'
import type { Hex } from '../../domain/chain/hex'

const folder = new URL('../../../contracts/artifacts/', import.meta.url)

/** Returns the location of a compiled contract. Contracts that contain chain ids are compiled for each network. */
export function artifactUrl(name: string): URL {
  const own = new URL(`testnet/${name}.json`, folder)
  return network === 'testnet' && existsSync(own) ? own : new URL(`${name}.json`, folder)
}

/** Returns the committed bytecode of our contracts. It is read when the first chain is checked. */
export async function shippedCode(names: readonly string[]): Promise<ShippedCode> {
  const codes = names.map(async (name) => {
    const { deployedBytecode } = (await Bun.file(artifactUrl(name)).json()) as { deployedBytecode: Hex }
    return [name, deployedBytecode] as const
  })
  return Object.fromEntries(await Promise.all(codes))
}
