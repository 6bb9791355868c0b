import { expect, test } from 'bun:test'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Glob } from 'bun'
import { runProgram } from '../../src/devnet/servers/run-program'
import { nightly } from '../support/depth'
import { temporaryFolder } from '../support/temporary-folder'
import { testWith } from '../support/tools'
import { languages, npmTools } from './tools'

const package_ = join(import.meta.dir, '../../clients/typescript')
const [typescript] = languages

/** Uses the package's exports, as a reader's program would. */
const program = `
import { formatUnits, Switchyard, verifyWebhook, type WebhookEvent } from '@switchyard/client'
const client = new Switchyard({ baseUrl: 'http://127.0.0.1:9', apiKey: 'sy', retry: { attempts: 1 } })
const said = (event: WebhookEvent): string => (event.type === 'webhook.test' ? event.data.message : event.type)
const found: string = await client.listChains().then(([chain]) => chain!.chainKey, ({ name }: Error) => name)
console.log([formatUnits('1500000', 6), typeof verifyWebhook, typeof said, found].join(' '))
`

const byNpm = testWith(typescript!.needs, typescript!.isHere, nightly)
byNpm('a fresh clone’s package has only its built files, and Node and the compiler accept them', async () => {
  const folder = temporaryFolder('packed')
  const [clone, reader] = [join(folder, 'clone'), join(folder, 'reader')]
  const isMade = /\/(node_modules|dist)$|\.tgz$/
  await cp(package_, clone, { recursive: true, filter: (from) => !isMade.test(from) })
  const tools = join(await npmTools(), 'node_modules')
  await symlink(tools, join(clone, 'node_modules'))
  // Leftovers of an earlier build are not packed.
  await Bun.write(join(clone, 'dist/left-behind.js'), '')
  // This repository disables package scripts, and npm passes that on to its children.
  const env = { ...process.env, npm_config_ignore_scripts: 'false', npm_config_offline: 'true' }
  await runProgram(['npm', 'pack', '--silent'], { cwd: clone, env })
  const [archive] = [...new Glob('*.tgz').scanSync(clone)]
  const installed = join(reader, 'node_modules/@switchyard/client')
  await mkdir(installed, { recursive: true })
  await runProgram(['tar', '-xzf', join(clone, archive!), '--strip-components=1'], { cwd: installed })
  const built = [...new Glob('*.ts').scanSync(join(package_, 'src'))]
    .map((name) => name.replace(/\.ts$/, ''))
    .flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`])
  const packed = [...new Glob('**/*').scanSync({ cwd: installed, dot: true })]
  expect(packed.toSorted()).toEqual(['CHANGELOG.md', 'README.md', 'package.json', ...built].toSorted())

  await Bun.write(join(reader, 'package.json'), '{"type":"module"}')
  await Bun.write(join(reader, 'use.ts'), program)
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--outDir', 'made']
  await runProgram(['node', join(tools, 'typescript/bin/tsc'), ...options, 'use.ts'], { cwd: reader })
  const said = await runProgram(['node', 'made/use.js'], { cwd: reader })
  expect(said).toBe('1.5 function function ConnectionError')
})

test('the owner of the name can publish the package, and its links stay inside it', async () => {
  const described = await Bun.file(join(package_, 'package.json')).json()
  expect([described.private, described.license, described.files]).toEqual([
    undefined,
    'UNLICENSED',
    ['dist', 'CHANGELOG.md'],
  ])
  for (const name of ['README.md', 'CHANGELOG.md']) {
    const links = [...(await Bun.file(join(package_, name)).text()).matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to!)
    expect([name, links.filter((to) => !/^(https:|#)/.test(to))]).toEqual([name, []])
  }
})
