import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import type { NatsConnection } from 'nats'
import { connectMongo, timeOf } from '../../src/adapters/mongo/engine/connection'
import { connectNats } from '../../src/adapters/nats/connection'
import { natsMessages } from '../../src/adapters/nats/nats-messages'
import { depositStream, wakeStream } from '../../src/adapters/nats/streams'
import { remoteSigner } from '../../src/adapters/signer/remote-signer'
import type { TlsFiles } from '../../src/adapters/signer/signer-access'
import { loadConfig, variableNames } from '../../src/app/config/config'
import { keyNames, roles } from '../../src/app/config/config-keys'
import { freePort } from '../../src/devnet/servers/free-port'
import { goProgram, mayBuild } from '../../src/devnet/servers/go-program'
import { natsProgram } from '../../src/devnet/servers/nats-program'
import { runProgram } from '../../src/devnet/servers/run-program'
import { nightly } from '../support/depth'
import { mongoUrl, natsUrl } from '../support/servers'
import { serviceVariables } from '../support/service-variables'
import { accessKey, startSigner } from '../support/signer-process'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

const folder = join(import.meta.dir, '..', '..', 'deploy', 'compose')
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
type Service = {
  image?: string
  user?: string
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  ports?: string[]
  networks?: string[]
  volumes?: string[]
  command?: string[]
  env_file?: object[]
  depends_on?: Record<string, { condition: string }>
  environment?: Record<string, string>
  healthcheck?: object
  deploy: { replicas?: number; resources: { limits: Record<string, string | number> } }
}
const text = textOf('compose.yaml')
const compose = Bun.YAML.parse(text) as { services: Record<string, Service>; networks: Record<string, object> }
const services = Object.entries(compose.services)

const processes = [...roles, 'signer'] as const

/** The required variables of .env, and optional ones. */
const settings: Record<string, string> = {
  ...serviceVariables,
  MONGODB_PASSWORD: 'm0ngodb',
  NATS_PASSWORD: 'n4ts',
  PUBLIC_URL: 'https://switchyard.example',
  METRICS_TOKEN: 'm'.repeat(16),
  AUTH_SECRET: 'a'.repeat(32),
  SIGNER_ACCESS_KEY: `0x${'a'.repeat(64)}`,
  SMTP_URL: 'smtp://user:letters@mail.example',
}
const filledIn = (template: string) => template.replaceAll(/\$\{(\w+):[-?][^}]*\}/g, (_, name) => settings[name] ?? '')
/** The environment of a role's process: .env with the compose file's own values. */
const environmentOf = (role: string): Record<string, string> => {
  const { environment } = compose.services[role]!
  const laid = Object.entries(environment!).map(([name, value]) => [name, filledIn(String(value))])
  return { ...settings, ...Object.fromEntries(laid) }
}

/** Folder in which certificates.sh created everything that the cluster's containers mount. */
const made = temporaryFolder('certificates')
const makeCertificates = () => runProgram(['sh', join(folder, 'certificates.sh'), made])
beforeAll(makeCertificates)
const mountsOf = (name: string) =>
  (compose.services[name]!.volumes ?? []).map((mount) => mount.split(':') as [string, string, string?])
/** The same, with each path replaced by the file that certificates.sh created for the mounted volume. */
const environmentWithFiles = (role: string): Record<string, string> => {
  const madeAt = new Map(mountsOf('certificates').map(([volume, path]) => [volume, path.replace('/tls', made)]))
  const found = (path: string) => {
    const mount = mountsOf(role).find(([, at]) => path.startsWith(`${at}/`))
    return mount ? path.replace(mount[1], madeAt.get(mount[0])!) : `nothing is mounted at ${path}`
  }
  const entries = Object.entries(environmentOf(role))
  return Object.fromEntries(entries.map(([name, value]) => [name, name.endsWith('_FILE') ? found(value) : value]))
}

describe('the compose file of the cluster', () => {
  const compilesCompose = { path: 'github.com/compose-spec/compose-go/v2/cmd', version: '2.16.2', name: 'compose-go' }

  nightly('conforms to the compose specification, and is refused if something is missing', async () => {
    expect(await mayBuild(compilesCompose)).toBe(true)
    const program = await goProgram(compilesCompose, () => {})
    const check = (path: string) => runProgram([program!, '-format', 'json', path])
    const copy = join(temporaryFolder('compose'), 'deploy', 'compose')
    cpSync(folder, copy, { recursive: true })
    // The program substitutes nothing, so required values are filled in here, and refused if missing.
    const refused = await check(join(copy, 'compose.yaml')).catch((error: Error) => error.message)
    for (const name of ['PUBLIC_URL', 'METRICS_TOKEN', 'SIGNER_ACCESS_KEY'])
      expect(refused).toContain(`required variable ${name} is missing`)
    writeFileSync(join(copy, 'compose.yaml'), filledIn(text))
    await check(join(copy, 'compose.yaml'))
  })

  test('has three of each server, two APIs, four workers, two scanners and a signer', () => {
    const named = (prefix: string) => services.filter(([name]) => name.startsWith(prefix)).length
    expect([named('nats-'), named('mongodb-')]).toEqual([3, 3])
    const counts = Object.fromEntries(processes.map((role) => [role, compose.services[role]!.deploy.replicas]))
    expect(counts).toEqual({ api: 2, worker: 4, scanner: 2, signer: 1 })
  })

  testAll(roles)('gives every role only its own keys', (role) => {
    const { config, secrets, misplaced } = loadConfig(environmentWithFiles(role))
    expect([config.roles, config.natsReplicas]).toEqual([[role], 3])
    expect(misplaced).toEqual([])
    expect(secrets.mongoUrl).toContain('switchyard:m0ngodb@')
    expect([secrets.authSecret !== null, secrets.smtpUrl !== null]).toEqual([role === 'api', role === 'api'])
  })

  test('gives the signer only its signing key, without access to MongoDB or NATS', () => {
    const given = environmentWithFiles('signer')
    const { config, misplaced } = loadConfig(given)
    expect([config.roles, config.signerListen, misplaced]).toEqual([['signer'], '0.0.0.0:3100', []])
    expect(loadConfig(environmentWithFiles('worker')).config.signerUrl).toBe('https://signer:3100')
    expect([given['MONGODB_URL'], given['NATS_URL'], given['MONGODB_PASSWORD']]).toEqual([undefined, undefined, ''])
    const { networks, depends_on } = compose.services['signer']!
    const certificates = { certificates: { condition: 'service_completed_successfully' } }
    expect([networks, depends_on]).toEqual([['signing', 'signer-outside'], certificates])
    const inside = (network: string) =>
      services.flatMap(([name, service]) => (service.networks?.includes(network) ? [name] : [])).toSorted()
    expect([inside('signing'), compose.networks['signing']]).toEqual([['signer', 'worker'], { internal: true }])
    expect([inside('signer-outside'), inside('outside')]).toEqual([['signer'], ['api', 'scanner', 'worker']])
  })

  test('migrates earlier documents before any process of the service starts, with access only to the database', () => {
    const done = { condition: 'service_completed_successfully' }
    for (const role of roles) expect(compose.services[role]!.depends_on!['migrate'], role).toEqual(done)
    const { command, env_file, environment, networks, depends_on } = compose.services['migrate']!
    expect([command, env_file, networks, depends_on]).toEqual([['migrate'], [], ['servers'], { set: done }])
    expect(Object.keys(environment!)).toEqual(['MONGODB_URL', 'MONGODB_DATABASE'])
    expect(environmentOf('migrate')['MONGODB_URL']).toBe(environmentOf('worker')['MONGODB_URL']!)
    // The name is also the database that the created user can write.
    expect(environment!['MONGODB_DATABASE']).toBe(compose.services['set']!.environment!['MONGODB_DATABASE']!)
  })

  test('names only variables that the service reads', () => {
    const known = new Set([...variableNames, ...keyNames, 'MONGODB_PASSWORD', 'NATS_PASSWORD'])
    for (const role of processes)
      expect(
        Object.keys(compose.services[role]!.environment!).filter((name) => !known.has(name)),
        role,
      ).toEqual([])
  })

  test('limits the memory, processor and rights of every container, and checks the health of every server', () => {
    for (const [name, service] of services) {
      expect(Object.keys(service.deploy.resources.limits), name).toEqual(['cpus', 'memory', 'pids'])
      expect([service.read_only, service.cap_drop, service.security_opt], name).toEqual([
        true,
        ['ALL'],
        ['no-new-privileges:true'],
      ])
      if (/-\d$/.test(name)) expect(service.healthcheck, name).toBeDefined()
    }
  })

  test('publishes only the API, to this machine, and gives the servers no way out', () => {
    const open = services.filter(([, { ports }]) => ports)
    expect(open.map(([name, { ports }]) => [name, ports])).toEqual([['api', ['127.0.0.1:3000-3001:3000']]])
    expect(compose.networks['servers']).toEqual({ internal: true })
    for (const [name, { networks }] of services) if (/-\d$/.test(name)) expect(networks, name).toEqual(['servers'])
  })

  test('mounts the authority’s key only where certificates are signed', () => {
    const who = services.filter(([, { volumes = [] }]) => volumes.some((volume) => volume.startsWith('authority:')))
    expect(who.map(([name]) => name)).toEqual(['certificates'])
    const keys = services.filter(([, { volumes = [] }]) =>
      volumes.some((volume) => /^(nats|mongodb)-tls:/.test(volume)),
    )
    expect(keys.map(([name]) => name).filter((name) => (roles as readonly string[]).includes(name))).toEqual([])
  })

  test('mounts the signer’s key only in the signer and the workers’ key only in workers, both read-only', () => {
    const whoMounts = (volume: string) =>
      services
        .filter(([name]) => name !== 'certificates')
        .flatMap(([name]) => mountsOf(name).flatMap(([mounted, , mode]) => (mounted === volume ? [[name, mode]] : [])))
    expect(whoMounts('signer-tls')).toEqual([['signer', 'ro']])
    expect(whoMounts('worker-tls')).toEqual([['worker', 'ro']])
  })
})

describe('found-set.sh', () => {
  /** Runs it with a mongosh that fails a few times, and then acts on the described set. */
  async function founded(set: { isFounded: boolean; hasUser: boolean; refusesMax?: number }) {
    const home = temporaryFolder('found-set')
    writeFileSync(join(home, 'password'), 'of-admin')
    const program = `#!${process.execPath}
      const { existsSync, readFileSync, writeFileSync } = require('node:fs')
      const [, , , url, , code] = process.argv
      const [file, said] = ['${home}/tries', []]
      const tries = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
      writeFileSync(file, String(tries + 1))
      if (tries < ${set.refusesMax ?? 2}) process.exit(1)
      const note = (what) => (given) => said.push([what, given])
      const rs = {
        status() { if (!${set.isFounded}) throw Object.assign(new Error(), { codeName: 'NotYetInitialized' }) },
        initiate: note('initiate'),
      }
      const users = {
        getUser: () => (${set.hasUser} ? {} : null),
        createUser: note('create'),
        updateUser: (name, given) => said.push(['update', { user: name, ...given }]),
      }
      new Function('rs', 'db', code)(rs, { getSiblingDB: () => users })
      console.log('SAID ' + JSON.stringify([url, said]))`
    writeFileSync(join(home, 'mongosh'), program, { mode: 0o755 })
    const env = {
      PATH: `${home}:${process.env['PATH']}`,
      ADMIN_PASSWORD_FILE: join(home, 'password'),
      MONGODB_PASSWORD: 'of-the-service',
      PAUSE_SECONDS: '0',
    }
    const told = await runProgram(['bash', join(folder, 'found-set.sh')], { env })
    return [...told.matchAll(/^SAID (.+)$/gm)].map(([, line]) => JSON.parse(line!) as [string, [string, object][]])
  }
  const user = { user: 'switchyard', pwd: 'of-the-service', roles: [{ role: 'readWrite', db: 'switchyard' }] }

  test('founds a set of three and creates a user for one database, although no member responds at first', async () => {
    const [first, second] = await founded({ isFounded: false, hasUser: false })
    expect(first![0]).toBe(
      'mongodb://admin:of-admin@mongodb-1:27017/?directConnection=true&tls=true&tlsCAFile=/tls/ca.crt&authSource=admin',
    )
    const members = [1, 2, 3].map((n) => ({ _id: n - 1, host: `mongodb-${n}:27017` }))
    expect(first![1]).toEqual([['initiate', { _id: 'switchyard', members }]])
    expect(second![0]).toContain('@mongodb-1,mongodb-2,mongodb-3/?replicaSet=switchyard&tls=true')
    expect(second![1]).toEqual([['create', user]])
  })

  test('changes only the user’s password in an existing set', async () => {
    const said = await founded({ isFounded: true, hasUser: true })
    expect(said.map(([, done]) => done)).toEqual([[], [['update', user]]])
  })

  test('fails with a message if no member ever responds', async () => {
    await expect(founded({ isFounded: false, hasUser: false, refusesMax: 99 })).rejects.toThrow(
      'cannot be made a replica set',
    )
  })
})

describe('certificates.sh', () => {
  const of = (path: string) => readFileSync(join(made, path), 'utf8')

  test('changes nothing while all certificates are valid', async () => {
    const paths = ['trust', 'nats', 'mongodb', 'signer', 'worker'].flatMap((place) =>
      readdirSync(join(made, place)).map((file) => join(place, file)),
    )
    expect(paths).toHaveLength(14)
    const before = paths.map(of)
    await makeCertificates()
    expect(paths.map(of)).toEqual(before)
  })

  test('renews a certificate before it expires, by the same authority', async () => {
    const [authority, before] = [of('trust/ca.crt'), of('nats/tls.crt')]
    const { serial } = { serial: join(made, 'authority') }
    const ending = [
      'x509',
      '-req',
      '-in',
      `${serial}/nats.csr`,
      '-CA',
      `${serial}/ca.crt`,
      '-CAkey',
      `${serial}/ca.key`,
    ]
    await runProgram(['openssl', ...ending, '-days', '29', '-out', `${serial}/nats.crt`])
    await makeCertificates()
    expect(of('trust/ca.crt')).toBe(authority)
    expect(of('nats/tls.crt')).not.toBe(before)
    await runProgram(['openssl', 'verify', '-CAfile', join(made, 'trust/ca.crt'), join(made, 'nats/tls.crt')])
    await runProgram(['openssl', 'x509', '-in', join(made, 'nats/tls.crt'), '-noout', '-checkend', '30000000'])
  })

  describe('a NATS cluster with these certificates', () => {
    const children: Bun.Subprocess[] = []
    const connections: NatsConnection[] = []
    let ports: number[] = []
    beforeAll(async () => {
      ports = await Promise.all([1, 2, 3].map(() => freePort()))
      const routes = await Promise.all(ports.map(() => freePort()))
      const { path } = await natsProgram(() => {})
      for (const [n, port] of ports.entries()) {
        const home = temporaryFolder(`nats-${n + 1}`)
        const settled = textOf('nats.conf')
          .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
          .replace('127.0.0.1:8222', `127.0.0.1:${await freePort()}`)
          .replace('0.0.0.0:6222', `127.0.0.1:${routes[n]}`)
          .replaceAll(/nats-(\d):6222/g, (_, other) => `127.0.0.1:${routes[Number(other) - 1]}`)
          .replaceAll('/tls/', `${join(made, 'nats')}/`)
          .replace('/data', home)
        writeFileSync(join(home, 'nats.conf'), settled)
        const env = { NATS_NAME: `nats-${n + 1}`, NATS_ADVERTISE: `localhost:${port}`, NATS_PASSWORD: 'right!' }
        children.push(Bun.spawn([path, '-c', join(home, 'nats.conf')], { env, stdout: 'ignore', stderr: 'ignore' }))
      }
    })
    afterAll(async () => {
      await Promise.all(connections.map((connection) => connection.close()))
      for (const child of children) child.kill()
      await Promise.all(children.map(({ exited }) => exited))
    })
    const trust = () => ({ caFile: join(made, 'trust/ca.crt') })
    const as = (user: string) => ports.map((port, n) => `tls://${n === 0 ? user : ''}127.0.0.1:${port}`).join(',')

    test('accepts a client with the authority and the password, and keeps the service’s streams on all three servers', async () => {
      const nats = await answered('a connection', () => connectNats(as('switchyard:right%21@'), trust()))
      connections.push(nats)
      const manager = await answered('JetStream', () => nats.jetstreamManager())
      const messages = natsMessages(nats, { replicas: 3 })
      await messages.ensureStreams()
      for (const stream of [wakeStream, depositStream].map((named) => named({ prefix: '', replicas: 3 }))) {
        const { cluster } = await answered(`a leader of ${stream}`, () => manager.streams.info(stream))
        expect(cluster!.replicas).toHaveLength(2)
      }
      await answered('every server', () => messages.assureAnswering().then(() => true))
    })

    test('is not trusted without the authority, and refuses a wrong password', async () => {
      await expect(connectNats(as('switchyard:right%21@'))).rejects.toThrow()
      await expect(connectNats(as('switchyard:wrong@'), trust())).rejects.toThrow(/authorization/i)
    })

    test('a server without encryption gets no password, by tls:// or by a file of authorities', async () => {
      const plain = await natsUrl()
      await expect(connectNats(plain.replace('nats://', 'tls://user:secret@'))).rejects.toThrow()
      await expect(connectNats(plain.replace('nats://', 'nats://user:secret@'), trust())).rejects.toThrow()
    })
  })

  test('MongoDB is trusted only with the authority that its URL names', async () => {
    const target = new URL(await mongoUrl())
    const pem = of('mongodb/tls.pem')
    const server = createServer({ cert: pem, key: pem }, (socket) => {
      const inner = connectTcp(Number(target.port), target.hostname)
      socket.pipe(inner).pipe(socket)
      for (const end of [socket, inner]) end.on('error', () => end.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const url = `mongodb://127.0.0.1:${port}${target.pathname}?directConnection=true&tls=true`
    const connection = await connectMongo(`${url}&tlsCAFile=${join(made, 'trust/ca.crt')}`)
    expect(await timeOf(connection)).toBeGreaterThan(0)
    await connection.close()
    await expect(connectMongo(url)).rejects.toThrow(/certificate/)
    server.close()
  })
})

describe('a signer of the cluster with these certificates', () => {
  const [signerOf, workerOf] = ['signer', 'worker'].map((role) => () => loadConfig(environmentWithFiles(role)).config)
  const tlsOf = (config: () => { signerTls: TlsFiles | null }) => config().signerTls!
  const statusFor = (url: string, tls: TlsFiles) =>
    remoteSigner({ now: Date.now, url, accessKeys: [accessKey], tls }).status()

  test('answers a worker of the cluster, and no client without a certificate of that authority', async () => {
    const [shown, own] = [tlsOf(signerOf!), tlsOf(workerOf!)]
    const signer = await startSigner({ tls: shown })
    expect(await statusFor(signer.url, own)).toMatchObject({ version: 'test' })
    const ca = readFileSync(own.caFile, 'utf8')
    const bare = await fetch(`${signer.url}/v1/status`, { tls: { ca } }).catch(() => 'refused')
    expect(bare).toBe('refused')
    // The servers' authority is separate: a NATS certificate opens nothing here.
    const ofNats = { certFile: join(made, 'nats/tls.crt'), keyFile: join(made, 'nats/tls.key'), caFile: own.caFile }
    await expect(statusFor(signer.url, ofNats)).rejects.toMatchObject({ waitingFor: 'SIGNER' })
    // Neither does the signer's own certificate, which is valid only for a server.
    await expect(statusFor(signer.url, shown)).rejects.toMatchObject({ waitingFor: 'SIGNER' })
    expect(signer.outcomes).toHaveLength(1)
    await signer.stop()
  })

  test('is not accepted as the signer with a worker’s or NATS’s certificate', async () => {
    const own = tlsOf(workerOf!)
    const ofNats = { certFile: join(made, 'nats/tls.crt'), keyFile: join(made, 'nats/tls.key'), caFile: own.caFile }
    for (const tls of [own, ofNats]) {
      const false_ = await startSigner({ tls })
      await expect(statusFor(false_.url, own)).rejects.toMatchObject({ waitingFor: 'SIGNER' })
      expect(false_.outcomes).toEqual([])
      await false_.stop()
    }
  })

  test('has a certificate for the name that workers use', () => {
    const { hostname } = new URL(workerOf!().signerUrl!)
    const certificate = new X509Certificate(readFileSync(tlsOf(signerOf!).certFile))
    expect([hostname, certificate.checkHost(hostname)]).toEqual(['signer', 'signer'])
  })
})

/** A cluster responds once its servers listen and have found each other. */
const answered = async <Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> => {
  const { answer } = await until(what, (note) =>
    ask().then(
      (answer) => ({ answer }),
      (error) => void note(error),
    ),
  )
  return answer
}
