import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder'

const compiler = join(import.meta.dir, '../../contracts/tools/solc')
const input = JSON.stringify({
  language: 'Solidity',
  sources: { 'A.sol': { content: 'pragma solidity ^0.8.0; import "./B.sol"; contract A is B {}' } },
  settings: { outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
})

let folder: string
let cache: string
beforeEach(() => {
  folder = temporaryFolder('solc')
  cache = join(folder, 'cache')
  mkdirSync(join(folder, 'src'))
  imports('contract B { uint public b = 1; }')
})

const imports = (code: string) => writeFileSync(join(folder, 'src', 'B.sol'), `pragma solidity ^0.8.0; ${code}`)

async function compiled(): Promise<string> {
  const child = Bun.spawn(['node', compiler, '--base-path', join(folder, 'src'), '--standard-json'], {
    env: { ...process.env, SOLC_CACHE: cache },
    stdin: new Blob([input]),
    stderr: 'inherit',
  })
  const output = (await new Response(child.stdout).json()) as {
    contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
  }
  return output.contracts['A.sol']!['A']!.evm.bytecode.object
}
const kept = () => join(cache, readdirSync(cache)[0]!)

test('compiled output is cached, and compiled again when an imported file changes', async () => {
  const first = await compiled()
  const at = statSync(kept()).ino
  expect(await compiled()).toBe(first)
  expect(statSync(kept()).ino).toBe(at)
  imports('contract B { uint public b = 2; }')
  const second = await compiled()
  expect(second).not.toBe(first)
  expect(await compiled()).toBe(second)
}, 600_000)

test('an altered cache file is not used', async () => {
  const first = await compiled()
  const altered = readFileSync(kept(), 'utf8').replace(first, `${first.slice(0, -2)}00`)
  writeFileSync(kept(), altered)
  expect(await compiled()).toBe(first)
}, 600_000)
