import { expect, test } from 'bun:test'
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Glob } from 'bun'
import { runProgram } from '../../src/devnet/servers/run-program'
import { apiWorld } from '../http/world'
import { temporaryFolder } from '../support/temporary-folder'
import { testWith } from '../support/tools'
import { languages, npmTools } from './tools'

const root = join(import.meta.dir, '../..')
const package_ = join(root, 'clients/typescript')
const [typescript] = languages
const isUpdate = process.env['UPDATE'] === '1'
const json = (path: string) => Bun.file(path).json()

/** The chains of NETWORK=testnet, which are fixed for a process. */
function idsOfTestnet(): string {
  const program = `console.log((await import('${join(root, 'src/domain/chain/chain.ts')}')).chainIds.join())`
  const env = { PATH: process.env['PATH'] ?? '', NETWORK: 'testnet' }
  return Bun.spawnSync([process.execPath, '-e', program], { env }).stdout.toString().trim()
}

const byNpm = testWith(typescript!.needs, typescript!.isHere)
byNpm('the client’s types match those generated from the document; UPDATE=1 writes them again', async () => {
  const folder = temporaryFolder('generated')
  await symlink(join(await npmTools(), 'node_modules'), join(folder, 'node_modules'))
  await cp(join(package_, 'generate.mjs'), join(folder, 'generate.mjs'))
  const answer = await apiWorld().api.handle(new Request('http://localhost/docs/json'))
  await Bun.write(join(folder, 'document.json'), await answer.text())
  await runProgram(['node', 'generate.mjs', 'document.json', '.', idsOfTestnet()], { cwd: folder })
  for (const name of ['schema.ts', 'error-codes.ts']) {
    const generated = await Bun.file(join(folder, name)).text()
    const kept = join(package_, 'src', name)
    if (isUpdate) await Bun.write(kept, generated)
    // Compares only for equality, because the difference would fill a terminal.
    expect([name, (await Bun.file(kept).text()) === generated]).toEqual([name, true])
  }
})

test('the client is generated and built by the tools of the tests, and needs nothing at run time', async () => {
  const { devDependencies, dependencies, peerDependencies, engines } = await json(join(package_, 'package.json'))
  const tools = (await json(join(import.meta.dir, 'typescript/package.json'))).dependencies
  for (const [name, version] of Object.entries(devDependencies)) expect([name, tools[name]]).toEqual([name, version])
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined])
  expect(engines.node).toBe('>=20.3')
})

test('the client imports only its own files, and each of them holds one idea', async () => {
  const paths = [...new Glob('src/*.ts').scanSync(package_)]
  expect(paths.length).toBeGreaterThan(8)
  for (const path of paths) {
    const text = await Bun.file(join(package_, path)).text()
    const imported = [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name!)
    expect([path, imported.filter((name) => !/^\.\/[\w-]+\.js$/.test(name))]).toEqual([path, []])
    if (path !== 'src/schema.ts') expect([path, text.split('\n').length <= 300]).toEqual([path, true])
  }
})

test('the changelog of the client begins with its version', async () => {
  const { version } = await json(join(package_, 'package.json'))
  const changelog = await Bun.file(join(package_, 'CHANGELOG.md')).text()
  expect(/^## \[([^\]]+)\]/m.exec(changelog)?.[1]).toBe(version)
})
