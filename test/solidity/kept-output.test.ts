import { beforeEach, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder'

const root = join(import.meta.dir, '../..')
const compiler = join(root, 'contracts/tools/solc')
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
})

test('an altered cache file is not used', async () => {
  const first = await compiled()
  const altered = readFileSync(kept(), 'utf8').replace(first, `${first.slice(0, -2)}00`)
  writeFileSync(kept(), altered)
  expect(await compiled()).toBe(first)
})

test('two clones share what was compiled, and each gets its own paths', async () => {
  const clones = ['one', 'two'].map((name) => {
    const clone = join(folder, name)
    const [tools, source] = [join(clone, 'contracts/tools'), join(clone, 'B.sol')]
    mkdirSync(tools, { recursive: true })
    copyFileSync(compiler, join(tools, 'solc'))
    copyFileSync(join(root, 'package.json'), join(clone, 'package.json'))
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
    writeFileSync(source, 'pragma solidity ^0.8.0; contract B { uint public b = 3; }')
    return { by: join(tools, 'solc'), source }
  })
  const sourced = async ({ by, source }: (typeof clones)[number]) => {
    const content = `pragma solidity ^0.8.0; import "${source}"; contract A is B {}`
    const child = Bun.spawn(['node', by, '--standard-json'], {
      env: { ...process.env, SOLC_CACHE: cache },
      stdin: new Blob([JSON.stringify({ ...JSON.parse(input), sources: { 'A.sol': { content } } })]),
      stderr: 'inherit',
    })
    return Object.keys(((await new Response(child.stdout).json()) as { sources: object }).sources)
  }
  for (const clone of clones) expect(await sourced(clone)).toEqual([clone.source, 'A.sol'])
  expect(readdirSync(cache)).toHaveLength(1)
})
