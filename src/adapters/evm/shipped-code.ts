import type { ShippedCode } from '../../domain/chain/deployment'
import type { Hex } from '../../domain/chain/hex'

const folder = new URL('../../../contracts/artifacts/', import.meta.url)

/** The committed bytecode of our contracts, read when the first chain is checked. */
export async function shippedCode(names: readonly string[]): Promise<ShippedCode> {
  const codes = names.map(async (name) => {
    const { deployedBytecode } = (await Bun.file(new URL(`${name}.json`, folder)).json()) as { deployedBytecode: Hex }
    return [name, deployedBytecode] as const
  })
  return Object.fromEntries(await Promise.all(codes))
}
