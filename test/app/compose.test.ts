import { beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { connectNats } from '../../src/adapters/nats/connection'
import { variableNames } from '../../src/app/config/config'
import { freePort } from '../../src/devnet/servers/free-port'
import { goProgram, mayBuild } from '../../src/devnet/servers/go-program'
import { natsProgram } from '../../src/devnet/servers/nats-program'
import { runProgram } from '../../src/devnet/servers/run-program'
import { nightly } from '../support/depth'
import { mongoUrl, natsUrl } from '../support/servers'
import { serviceVariables } from '../support/service-variables'
import { temporaryFolder } from '../support/temporary-folder'
import { testOn, testWith } from '../support/tools'
import { until } from '../support/until'

const root = join(import.meta.dir, '..', '..')
const textOf = (path: string) => Bun.file(join(root, path)).text()
type Service = {
  profiles?: string[]
  restart?: string
  ports?: string[]
  environment?: Record<string, string>
  entrypoint?: string[]
  healthcheck?: { interval: string; start_interval: string }
  deploy?: { resources: { limits: Record<string, string | number> } }
}
const compose = Bun.YAML.parse(await textOf('compose.yaml')) as {
  services: Record<string, Service>
  configs: { nats: { content: string } }
}
const services = Object.entries(compose.services)
/** Variables that only compose.yaml reads. */
const ofCompose = ['COMPOSE_PROFILES', 'MONGODB_PASSWORD', 'NATS_PASSWORD']
const env = await textOf('.env.example')
const variablesIn = (text: string, form: RegExp) => [...text.matchAll(form)].map(([, name]) => name!)

describe('.env.example', () => {
  test('has exactly the variables of the service and of compose.yaml', () => {
    expect(variablesIn(env, /^(?:# )?([A-Z][A-Z_]+)=/gm).toSorted()).toEqual(
      [...variableNames, ...ofCompose].toSorted(),
    )
  })

  test('describes each variable in its own sentence', () => {
    const lines = env.split('\n')
    for (const [n, line] of lines.entries())
      if (/^(# )?[A-Z_]+=/.test(line)) expect(lines[n - 1], line).toMatch(/^# [A-Z0-9].*\.$/)
  })

  test('leaves required variables empty, and Docker Compose refuses to continue without them', async () => {
    const required = variablesIn(env, /^([A-Z_]+)=$/gm)
    const refused = await textOf('required.env')
    expect(variablesIn(refused, /^([A-Z_]+)=\$\{\1:\?put it into \.env, as \.env\.example says\}$/gm)).toEqual(required)
    const { PUBLIC_URL: _, HOST: __, ...rest } = compose.services['service']!.environment!
    const child = Bun.spawn([process.execPath, 'src/cli/main.ts', 'start'], {
      cwd: root,
      env: { HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1', MONGODB_URL: rest['MONGODB_URL']! },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const said = await new Response(child.stderr).text()
    expect(await child.exited).toBe(1)
    const names = variablesIn(said, /^([A-Z_]+) is required/gm)
    expect(names.toSorted()).toEqual(required.filter((name) => !ofCompose.includes(name)).toSorted())
  })
})

test('variables for containers are read by nothing else here', async () => {
  const folder = temporaryFolder('bunfig')
  cpSync(join(root, 'bunfig.toml'), join(folder, 'bunfig.toml'))
  writeFileSync(join(folder, '.env'), 'MONGODB_URL=mongodb://production.example\n')
  const program = [process.execPath, '-e', 'console.log(process.env.MONGODB_URL)']
  const { stdout } = Bun.spawnSync(program, { cwd: folder, env: {} })
  expect(stdout.toString().trim()).toBe('undefined')
})

test('files with keys are kept out of git and out of the image', async () => {
  for (const path of ['.gitignore', '.dockerignore']) expect((await textOf(path)).split('\n'), path).toContain('.env')
})

const composeGo = { path: 'github.com/compose-spec/compose-go/v2/cmd', version: '2.16.2', name: 'compose-go' }
const canBuild = await mayBuild(composeGo)

describe('compose.yaml', () => {
  const isOnce = ([name]: (typeof services)[number]) => ['configured', 'started'].includes(name)

  const byGo = testWith('go', canBuild, nightly)
  byGo('conforms to the compose specification, with and without settings', async () => {
    const program = await goProgram(composeGo, () => {})
    for (const PORT of [undefined, '4000'])
      await runProgram([program!, '-format', 'json', 'compose.yaml'], {
        env: { PATH: process.env['PATH']!, HOME: process.env['HOME']!, ...(PORT && { PORT }) },
      })
  })

  test('starts the demo or the service by profile, and without a profile only one-off containers', () => {
    expect(services.filter((one) => one[1].profiles === undefined)).toEqual(services.filter(isOnce))
    const of = (profile: string) =>
      services.filter(([, { profiles }]) => profiles?.includes(profile)).map(([name]) => name)
    expect(of('production')).toEqual(['service', 'mongodb', 'nats'])
    expect(of('devnet')).toEqual(['demo', 'demo-mongodb', 'demo-nats'])
  })

  test('limits every container, and publishes only the API, to this machine', () => {
    for (const [name, { deploy, ports = [] }] of services) {
      expect(Object.keys(deploy!.resources.limits), name).toEqual(['cpus', 'memory', 'pids'])
      for (const port of ports) expect(port).toStartWith('127.0.0.1:${PORT:-3000}:')
    }
    expect(services.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['service', 'demo'])
  })

  test('checks the servers often while they start, and rarely afterwards', () => {
    for (const name of ['mongodb', 'nats', 'demo-mongodb', 'demo-nats']) {
      const { start_interval: atFirst, interval } = compose.services[name]!.healthcheck!
      expect(atFirst).toMatch(/^[12]s$/)
      expect(interval).toMatch(/^(30s|2m)$/)
    }
  })

  test('has a NATS that accepts only its password', async () => {
    const [port, monitor] = [await freePort(), await freePort()]
    const folder = temporaryFolder('compose')
    const settings = compose.configs.nats.content
      .replaceAll('$$', '$')
      .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
      .replace('127.0.0.1:8222', `127.0.0.1:${monitor}`)
      .replace('/data', folder)
    writeFileSync(join(folder, 'nats.conf'), settings)
    const { path } = await natsProgram(() => {})
    await using child = Bun.spawn([path, '--config', join(folder, 'nats.conf')], {
      env: { NATS_PASSWORD: 'right!' },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    const healthz = `http://127.0.0.1:${monitor}/healthz`
    await until('a healthy NATS', async (note) => {
      if (child.exitCode !== null) throw new Error(`NATS ended with ${child.exitCode}`)
      const status = await fetch(healthz).then((answer) => answer.status, String)
      return note(status) === 200
    })
    const at = `127.0.0.1:${port}`
    const nats = await connectNats(`nats://switchyard:right%21@${at},nats://${at}`)
    expect(await (await nats.jetstreamManager()).getAccountInfo()).toMatchObject({ streams: 0 })
    await nats.close()
    for (const given of ['', 'switchyard:wrong@', 'right%21@'])
      await expect(connectNats(`nats://${given}${at}`)).rejects.toThrow(/authorization/i)
    child.kill()
  })
})

/** Files that an instruction of the last stage copies into the image, without the ignored ones. */
async function imageFolder(): Promise<string> {
  const ignored = (await textOf('.dockerignore')).split('\n').filter(Boolean)
  const dockerfile = await textOf('Dockerfile')
  const folder = temporaryFolder('image')
  const copies = [...dockerfile.slice(dockerfile.indexOf('AS code')).matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)]
  for (const [, from, to] of copies)
    for (const path of from!.split(' ').filter((one) => !ignored.includes(one))) {
      const target = join(folder, to === './' ? path : to!)
      mkdirSync(dirname(target), { recursive: true })
      cpSync(join(root, path), target, { recursive: true })
    }
  await productionPackages(folder)
  return folder
}

/** Packages that `npm ci --omit=dev --omit=optional` installs by the lockfile, as links to the local files. */
async function productionPackages(folder: string): Promise<void> {
  const { packages } = JSON.parse(await textOf('package-lock.json')) as {
    packages: Record<string, Record<string, true>>
  }
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    if (path === '' || dev || optional || devOptional) continue
    for (const file of new Glob('**/*').scanSync({ cwd: join(root, path), dot: true })) {
      if (file.startsWith('node_modules/')) continue // these are separate packages
      mkdirSync(dirname(join(folder, path, file)), { recursive: true })
      link(join(root, path, file), join(folder, path, file))
    }
  }
}

/** Links a file, or copies it if the two places are on different disks. */
function link(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    cpSync(from, to)
  }
}

let image: string
beforeAll(async () => {
  image = await imageFolder()
})

/** Starts the image's program in its folder, requests its pages, and stops it. */
async function served(within: readonly string[]): Promise<void> {
  const port = await freePort()
  const [bun, ...program] = [...JSON.parse(/^ENTRYPOINT (.+)$/m.exec(await textOf('Dockerfile'))![1]!), 'start']
  expect(bun).toBe('bun')
  await using child = Bun.spawn([...within, process.execPath, ...program], {
    cwd: image,
    env: {
      ...serviceVariables,
      PATH: process.env['PATH']!,
      NODE_ENV: 'production',
      PORT: `${port}`,
      LOG_LEVEL: 'silent',
      MONGODB_URL: await mongoUrl(),
      NATS_URL: await natsUrl(),
    },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  const url = `http://127.0.0.1:${port}`
  const answer = (path: string) =>
    fetch(url + path).then(
      ({ status }) => status,
      ({ message }: Error) => message,
    )
  await until('a healthy service, or its end', async (note) => {
    const { status, exitCode } = note({ status: await answer('/api/health'), exitCode: child.exitCode })
    return status === 200 || exitCode !== null
  })
  for (const path of ['/api/health', '/docs', '/docs/json', '/app', '/metrics'])
    expect(await answer(path), path).toBe(200)
  child.kill()
  expect(await child.exited).toBe(0)
}

/** Everything except /tmp is mounted read-only, and the process has the rights of the image's user. */
const asInContainer = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount --bind ${tmpdir()} ${tmpdir()} && mount --options remount,bind,ro / && exec "$@"`,
  'sh',
  ...['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups', '--no-new-privs', '--bounding-set=-all', '--'],
]
const canContain = Bun.which('setpriv') !== null && Bun.spawnSync([...asInContainer, 'true']).success
/** Where it is skipped, `uncontained` runs in its place, so no program is missing. */
const contained = testOn('a program in private mounts, by unshare and setpriv,', canContain)
/** The test after the next does the same with fewer rights. */
const uncontained = canContain ? nightly : test

uncontained('the image is complete: the service starts from it and serves the document and the pages', () => served([]))

contained(
  'it does so on a read-only file system, as an ordinary user without rights, to whom /tmp alone is open',
  async () => {
    const writing = ['touch', join(root, 'written')]
    expect(Bun.spawnSync([...asInContainer, ...writing], { stderr: 'ignore' }).success).toBe(false)
    await served(asInContainer)
  },
)
