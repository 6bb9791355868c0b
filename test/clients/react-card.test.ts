import { expect, test } from 'bun:test'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { build, Glob } from 'bun'
import { nodeListener } from '../../clients/react/src/node-listener'
import { Switchyard } from '../../clients/typescript/src/client'
import { freePort } from '../../src/devnet/servers/free-port'
import { runProgram } from '../../src/devnet/servers/run-program'
import { spawnChild } from '../../src/devnet/servers/spawn-child'
import { untilReady } from '../../src/devnet/servers/until-ready'
import { statusNames } from '../../src/domain/execution/status'
import { findChromium, launch, patienceMs, reportOpen } from '../dashboard/browser/browser'
import { nightly } from '../support/depth'
import { temporaryFolder } from '../support/temporary-folder'
import { testWith } from '../support/tools'
import { installed } from './example-wallet'
import { deliveredDeposit, executionOf, fakeApi } from './fake-api'
import { languages, npmTools } from './tools'

const package_ = join(import.meta.dir, '../../clients/react')
const json = (path: string) => Bun.file(path).json()
const bytesMax = 15_000

const folder = await installed(join(import.meta.dir, '../../examples/wallet'), 'page.jsx')
const dist = join(folder, 'node_modules/@switchyard/react/dist')
const { depositRoutes } = (await import(`${dist}/server.js`)) as typeof import('../../clients/react/src/server')
const { defaultWords, depositStates } = (await import(
  `${dist}/index.js`
)) as typeof import('../../clients/react/src/index')

/** The card as a browser gets it, without React. */
async function bundled(): Promise<string> {
  const { outputs } = await build({
    entrypoints: [`${dist}/index.js`],
    minify: true,
    external: ['react', 'react/jsx-runtime'],
  })
  return outputs[0]!.text()
}

test('the card with its style is at most 15 kB compressed without React, and has nothing that takes a key', async () => {
  const [script, style] = await Promise.all([bundled(), Bun.file(join(package_, 'src/style.css')).text()])
  const size = Bun.gzipSync(script).length + Bun.gzipSync(style).length
  expect(size).toBeGreaterThan(5_000)
  expect(size).toBeLessThanOrEqual(bytesMax)
  expect(script).not.toMatch(/api-key|apiKey|idempotency/i)
})

test('a path that is no URL is not answered, and does not end the server of an integrator', async () => {
  const listen = nodeListener(async () => new Response(null, { status: 500 }))
  const written: unknown[] = []
  const note = (...given: unknown[]) => written.push(given)
  const response = { writeHead: note, write: note, end: note, on: note }
  expect(await listen({ method: 'GET', url: '//', headers: {} }, response)).toBe(false)
  expect(written).toEqual([])
})

test('the card imports its own files, React, the client and the QR code, all by exact versions', async () => {
  const { dependencies, peerDependencies, devDependencies, version } = await json(join(package_, 'package.json'))
  const client = await json(join(package_, '../typescript/package.json'))
  const project = await json(join(package_, '../../package.json'))
  expect(peerDependencies['@switchyard/client']).toBe(client.version)
  expect(dependencies).toEqual({ uqr: project.dependencies.uqr })
  expect(devDependencies.react).toBe(project.dependencies.react)
  expect(/^## \[([^\]]+)\]/m.exec(await Bun.file(join(package_, 'CHANGELOG.md')).text())?.[1]).toBe(version)
  const allowed = /^(\.\/[\w-]+\.js|react|uqr|@switchyard\/client)$/
  for (const path of new Glob('src/*.{ts,tsx}').scanSync(package_)) {
    const text = await Bun.file(join(package_, path)).text()
    const imported = [...text.matchAll(/(?:from|import) '([^']+)'/g)].map(([, name]) => name!)
    expect([path, imported.filter((name) => !allowed.test(name))]).toEqual([path, []])
  }
})

test('the card has words for every status and state', () => {
  expect(Object.keys(defaultWords.statuses).toSorted()).toEqual([...statusNames].toSorted())
  expect(Object.keys(defaultWords.states).toSorted()).toEqual([...depositStates].toSorted())
})

test('a card that cannot be read says nothing of the money', () => {
  const { problems, staleSince, neverRead, retrying } = defaultWords
  const said = [...Object.values(problems), staleSince('10:00'), neverRead, retrying].join(' ')
  expect(said).not.toMatch(/money|safe|lost/)
})

test('the routes serve the signed-in user only, and errors of the service stay on the server', async () => {
  const api = fakeApi()
  const client = new Switchyard({ baseUrl: api.url, apiKey: 'sy_test_any', retry: { attempts: 1 } })
  const logged: unknown[] = []
  const userOf = (request: Request) => request.headers.get('x-user')
  const answer = depositRoutes({ client, userOf, log: (error) => logged.push(error) })
  const get = async (path: string, user?: string) => {
    const response = await answer(
      new Request(`http://wallet.invalid${path}`, { headers: user ? { 'x-user': user } : {} }),
    )
    return response && { status: response.status, text: response.status === 200 ? '' : await response.text() }
  }
  for (const route of ['deposit', 'changes']) {
    expect(await get(`/any/${route}?userId=ada`)).toEqual({ status: 401, text: '' })
    expect(await get(`/any/${route}?userId=bob`, 'ada')).toEqual({ status: 403, text: '' })
    expect(await get(`/any/${route}`, 'ada')).toEqual({ status: 403, text: '' })
  }
  expect(await get('/any/else?userId=ada', 'ada')).toBeNull()
  api.set([[deliveredDeposit, executionOf(deliveredDeposit, 'SUCCESS')]])
  const served = await answer(
    new Request('http://wallet.invalid/any/deposit?userId=ada', { headers: { 'x-user': 'ada' } }),
  )
  expect(await served!.json()).toMatchObject({
    userId: 'ada',
    deposits: [{ state: 'DELIVERED', amountOut: '23736063' }],
  })
  expect(logged).toEqual([])
  api.revokeKey()
  expect(await get('/any/deposit?userId=ada', 'ada')).toEqual({ status: 503, text: '' })
  expect(logged).toMatchObject([{ code: 'INVALID_API_KEY' }])
  await api.stop()
})

const guide = await Bun.file(join(import.meta.dir, '../../clients/react/README.md')).text()
const snippet = (name: string): string =>
  new RegExp(`<!-- ${name}:begin -->\\n\`\`\`jsx?\\n([\\s\\S]*?)\`\`\``).exec(guide)![1]!
const chromium = await findChromium()

/** The guide's page in front of the guide's server, which it reaches under the same origin. */
async function guidesApplication(api: string) {
  const sources = temporaryFolder('card')
  await Bun.write(join(sources, 'server.mjs'), snippet('card-server'))
  await Bun.write(join(sources, 'page.jsx'), snippet('card-page'))
  const [cwd, port] = await Promise.all([installed(sources, 'page.jsx'), freePort()])
  const child = spawnChild(['node', 'server.mjs'], {
    cwd,
    env: { ...process.env, API: api, KEY: 'sy_test_any', PORT: String(port) },
  })
  const server = `http://127.0.0.1:${port}`
  const isAnswering = () => fetch(server).then(Boolean, () => false)
  await untilReady('The guide’s server', child, isAnswering)
  const html =
    '<!doctype html><html lang="en"><title>Any</title><link rel="stylesheet" href="/page.css"><main id="root"></main><script type="module" src="/page.js"></script>'
  const asked: string[] = []
  const front = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch({ url, headers, signal }) {
      const { pathname, search } = new URL(url)
      if (pathname === '/') return new Response(html, { headers: { 'content-type': 'text/html' } })
      if (/^\/page\.(js|css)$/.test(pathname)) return new Response(Bun.file(join(cwd, 'dist', pathname)))
      asked.push(pathname)
      return fetch(`${server}${pathname}${search}`, { headers, signal })
    },
  })
  const stop = () => Promise.all([child.stop('SIGKILL'), front.stop(true)])
  return { url: `http://127.0.0.1:${front.port}`, asked, stop }
}

const inBrowser = testWith('browser', chromium !== null)
inBrowser(
  'the guide’s server and page show the card with its own words, and follow a deposit over one connection',
  async () => {
    const api = fakeApi()
    const [{ url, asked, stop }, browser] = await Promise.all([guidesApplication(api.url), launch(chromium!)])
    try {
      const page = await browser.newPage({ permissions: ['clipboard-write'] })
      page.setDefaultTimeout(patienceMs)
      await page.goto(url)
      await page.getByRole('heading', { name: 'Add money' }).waitFor()
      await page.getByText('0 of your last deposits arrived').waitFor()
      await page.getByRole('button', { name: 'Copy the address' }).press('Enter')
      await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor()
      api.set([[deliveredDeposit, executionOf(deliveredDeposit, 'SUCCESS')]], 'yara')
      await page.getByText('1 of your last deposits arrived').waitFor()
      await page.getByRole('status').filter({ hasText: '25 USDC on Base: Arrived' }).waitFor({ state: 'attached' })
      expect(asked.filter((path) => path === '/switchyard/changes')).toHaveLength(1)
      await page.close()
    } finally {
      await reportOpen(browser)
      await browser.close()
      await stop()
      await api.stop()
    }
  },
)

const byNpm = testWith(languages[0]!.needs, languages[0]!.isHere, nightly)
byNpm('a fresh clone builds the package with the compiler that it names, and Node loads its server part', async () => {
  const clone = temporaryFolder('react-package')
  const tools = join(await npmTools(), 'node_modules')
  const isMade = /\/(node_modules|dist)$|\.tgz$/
  for (const name of ['typescript', 'react'])
    await cp(join(package_, '..', name), join(clone, name), { recursive: true, filter: (from) => !isMade.test(from) })
  await symlink(tools, join(clone, 'typescript/node_modules'))
  const modules = join(clone, 'react/node_modules')
  for (const name of ['@types', '@switchyard', '.bin']) await mkdir(join(modules, name), { recursive: true })
  await symlink(join(clone, 'typescript'), join(modules, '@switchyard/client'))
  await symlink(join(tools, 'typescript/bin/tsc'), join(modules, '.bin/tsc'))
  for (const name of ['react', '@types/react', 'csstype', 'uqr'])
    await symlink(join(package_, '../../node_modules', name), join(modules, name))
  const env = { ...process.env, npm_config_ignore_scripts: 'false', npm_config_offline: 'true' }
  for (const name of ['typescript', 'react']) await runProgram(['npm', 'run', 'build'], { cwd: join(clone, name), env })
  const built = [...new Glob('*').scanSync(join(clone, 'react/dist'))]
  const modulesOf = [...new Glob('*.{ts,tsx}').scanSync(join(package_, 'src'))].map((name) =>
    name.replace(/\.tsx?$/, ''),
  )
  expect(built.toSorted()).toEqual(
    [...modulesOf.flatMap((name) => [`${name}.js`, `${name}.d.ts`]), 'style.css'].toSorted(),
  )
  const program = `console.log(typeof (await import('./dist/server.js')).depositRoutes)`
  const said = await runProgram(['node', '--input-type=module', '-e', program], { cwd: join(clone, 'react') })
  expect(said.trim()).toBe('function')
})
