import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { limits } from '../../src/signer/function-rule'

const onChain = join(import.meta.dir, '../../contracts/src/guards/Limits.sol')
const nameOf = (constant: string): string =>
  constant.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

test('the guards on chain and the readers in the signer have the same limits', async () => {
  const found = (await Bun.file(onChain).text()).matchAll(/^uint256 constant ([A-Z_]+) = ([0-9_]+);$/gm)
  const said = [...found].map(([, constant, value]) => [nameOf(constant!), Number(value!.replaceAll('_', ''))])
  expect(Object.fromEntries(said)).toEqual(limits)
})
