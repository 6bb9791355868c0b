import { describe, expect, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { engineOptions } from '../../src/cli/installation/service-process'
import { runProgram } from '../../src/devnet/servers/run-program'
import { temporaryFolder } from '../support/temporary-folder'

const root = join(import.meta.dir, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const naming = ['Dockerfile', 'compose.yaml', 'deploy/compose/compose.yaml']

/** The lines of a named stage, and of all stages that it is based on. */
function stage(name: string): string[] {
  const stages = textOf('Dockerfile').split(/^(?=FROM )/m)
  const own = stages.find((text) => new RegExp(`^FROM \\S+ AS ${name}$`, 'm').test(text))
  if (!own) return []
  return [...stage(/^FROM (\S+)/.exec(own)![1]!), ...own.split('\n').filter(Boolean)]
}

describe('the image of the service', () => {
  test('has only the production packages', () => {
    expect(stage('service')).toContain('COPY --from=packages /switchyard/node_modules node_modules')
    expect(stage('packages')).toContain('RUN npm ci --omit=dev --omit=optional')
  })

  test('has only packages that src imports', async () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> }
    const paths = [...new Glob('src/**/*.{ts,tsx,mjs}').scanSync(root), ...new Glob('machines/*.ts').scanSync(root)]
    const texts = paths.map(textOf)
    const isAskedFor = (name: string) =>
      texts.some((text) => ["'", '"', '`'].some((quote) => text.includes(quote + name)) || text.includes(`/${name}/`))
    // Bun runs all of them.
    const others = Object.keys(dependencies).filter((name) => name !== 'bun')
    expect(others.filter((name) => !isAskedFor(name))).toEqual([])
  })

  test('runs as an ordinary user to the end', () => {
    const lines = stage('service')
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER bun'])
    const ofCode = lines.filter((line) => line.startsWith('COPY ') && line.includes('--chown'))
    expect(ofCode).toEqual([]) // the service cannot change what root owns
  })

  test('sets the engine’s options as the command line does, and this Bun supports them', async () => {
    const [set] = stage('service').filter((line) => line.includes('BUN_JSC_'))
    const options = Object.entries(engineOptions).map((bound) => bound.join('='))
    expect(set!.split(' ').filter((word) => word.startsWith('BUN_JSC_'))).toEqual(options)
    const env = { ...process.env, ...engineOptions, BUN_JSC_dumpOptions: '1' }
    const { stderr } = Bun.spawnSync([process.execPath, '-e', '0'], { env })
    for (const bound of options) expect(stderr.toString()).toContain(bound.replace('BUN_JSC_', ''))
  })

  test('takes every base by a tag that names a version', () => {
    const stages = new Set([...textOf('Dockerfile').matchAll(/ AS (\S+)$/gm)].map(([, name]) => name!))
    const bases = [...textOf('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base!)
    for (const base of bases.filter((name) => !stages.has(name)))
      expect(base).toMatch(/^[a-z/]+:\d[\w.-]*(@sha256:\w{64})?$/)
  })
})

/** Every image that the repository takes from a registry, in any form that Docker reads. */
function imagesOfRegistries(): string[] {
  const stages = new Set([...textOf('Dockerfile').matchAll(/ AS (\S+)$/gm)].map(([, name]) => name!))
  const bases = [...textOf('Dockerfile').matchAll(/^(?:FROM|COPY .*--from=)(?:\s+--\S+)*\s*(\S+)/gim)].map(
    ([, base]) => base!,
  )
  const listed = Bun.spawnSync(['git', 'ls-files', '*compose.y*ml'], { cwd: root }).stdout.toString().trim().split('\n')
  const composed = listed.flatMap((path) => {
    const { services } = Bun.YAML.parse(textOf(path)) as {
      services: Record<string, { image?: string; build?: object }>
    }
    return Object.values(services).flatMap(({ image, build }) => (image && !build ? [image] : []))
  })
  const all = [...bases.filter((name) => !stages.has(name)), ...composed]
  return [...new Set(all.map((name) => name.replace(/@sha256:\w{64}$/, '')))].toSorted()
}

describe('pin-images.sh', () => {
  /** A copy of the repository's files, with a fake Docker whose registry has a digest for each tag. */
  function copy() {
    const folder = temporaryFolder('pins')
    for (const path of [...naming, 'deploy/pin-images.sh']) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(join(root, path), join(folder, path))
    }
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    const setRegistry = (script: string) => {
      writeFileSync(join(bin, 'docker'), `#!/bin/sh\n${script}\n`)
      chmodSync(join(bin, 'docker'), 0o755)
    }
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` }
    const run = (...args: string[]) => runProgram(['sh', join(folder, 'deploy/pin-images.sh'), ...args], { env })
    const texts = () => naming.map((path) => readFileSync(join(folder, path), 'utf8'))
    return { run, setRegistry, texts }
  }
  const digestOf = (salt: string) =>
    `for tag; do :; done; echo "sha256:$(printf %s "${salt}$tag" | sha256sum | cut -c1-64)"`

  test('pins every image by its tag’s digest, changes nothing else, and takes a newer digest later', async () => {
    const { run, setRegistry, texts } = copy()
    const unpinned = (text: string) => text.replaceAll(/@sha256:\w{64}/g, '')
    const before = texts().map(unpinned)
    setRegistry(digestOf('one'))
    const said = (await run()).trim().split('\n')
    expect(said.map(unpinned).toSorted()).toEqual(imagesOfRegistries())
    await run('--check')
    const first = texts()
    expect(first.map(unpinned)).toEqual(before)
    for (const pinned of said) expect(first.join('\n')).toContain(` ${pinned}`)
    setRegistry(digestOf('two'))
    await run()
    expect(texts().map(unpinned)).toEqual(before)
    expect(texts()).not.toEqual(first)
    await run('--check')
  })

  test('changes nothing if the registry shows no digest, and names the unpinned images', async () => {
    const { run, setRegistry, texts } = copy()
    const before = texts()
    setRegistry('echo "manifest unknown"')
    await expect(run()).rejects.toThrow('shows no digest')
    expect(texts()).toEqual(before)
    if (!before[0]!.includes('@sha256:')) await expect(run('--check')).rejects.toThrow('node:24-slim')
  })
})

test('files of secrets are kept out of git and out of the image, at every path that the page about Kubernetes names', () => {
  const isIgnored = (path: string) =>
    Bun.spawnSync(['git', 'check-ignore', '--quiet', path], { cwd: root }).exitCode === 0
  const page = textOf('deploy/kubernetes/README.md')
  const files = [...page.matchAll(/--from-env-file=(\S+)/g)].map(([, path]) => path!)
  expect(files.length).toBe(8)
  for (const path of [...files, 'deploy/compose/.env', '.env']) expect(isIgnored(path), path).toBe(true)
  for (const path of ['required.env', 'deploy/kubernetes/overlays/example/settings.env'])
    expect(isIgnored(path), path).toBe(false)
  expect(textOf('.dockerignore').split('\n')).toContain('deploy')
})
