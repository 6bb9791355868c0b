import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, variableNames } from '../../src/app/config/config'
import { keyNames, type ProcessRole, roles } from '../../src/app/config/config-keys'
import { runProgram } from '../../src/devnet/servers/run-program'
import { debianProgram, hasDebian, isNewPython, pythonPackages } from '../support/kept-tools'
import { serviceVariables } from '../support/service-variables'
import { temporaryFolder } from '../support/temporary-folder'
import { isRequired, testWith } from '../support/tools'

const root = join(import.meta.dir, '..', '..')
const manifests = join(root, 'deploy', 'kubernetes')

type Labels = Record<string, string>
type Selector = { matchLabels: Labels; matchExpressions?: { key: string; operator: string; values: string[] }[] }
type Probe = { httpGet: { path: string } }
type From = { name: string; key: string; optional?: boolean }
type Container = {
  image: string
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[]
  args?: string[]
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: From } }[]
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[]
  livenessProbe: Probe
  readinessProbe: Probe
  resources: { requests: Labels; limits: Labels }
  securityContext: object
}
type Pod = {
  metadata: { labels: Labels }
  spec: {
    containers: Container[]
    securityContext: object
    serviceAccountName: string
    automountServiceAccountToken: boolean
    volumes: { name: string; secret?: { secretName: string } }[]
  }
}
type Block = { ipBlock?: { cidr: string; except?: string[] } }
type Resource = {
  kind: string
  metadata: { name: string; namespace?: string; labels?: Labels }
  data?: Labels
  spec: {
    template: Pod
    selector: Selector & Labels
    podSelector: Selector
    scaleTargetRef: { kind: string; name: string }
    metrics: { external?: { metric: { name: string } }; resource?: { name: string } }[]
    policyTypes: string[]
    egress?: { to: Block[]; ports: { port: number }[] }[]
    ingress?: { from: { podSelector?: Selector }[]; ports: { port: number | string }[] }[]
  }
}

/** The objects that the page of operations creates first, each with its possible variables. */
const { ROUTE_SIGNER_PRIVATE_KEY, RELAYER_PRIVATE_KEYS, INTENT_MAC_KEY, ...variables } = serviceVariables
const rpcUrls = Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('RPC_URL_')))
const secrets: Record<string, Labels> = {
  'switchyard-servers': {
    MONGODB_URL: 'mongodb://switchyard:secret@mongodb.example/switchyard',
    NATS_URL: 'tls://switchyard:secret@nats.example:4222',
    METRICS_TOKEN: 'm'.repeat(16),
  },
  'switchyard-providers': rpcUrls,
  'switchyard-sealing': { INTENT_MAC_KEY: INTENT_MAC_KEY! },
  'switchyard-people': { AUTH_SECRET: 'a'.repeat(32) },
  'switchyard-signing': { ROUTE_SIGNER_PRIVATE_KEY: ROUTE_SIGNER_PRIVATE_KEY! },
  'switchyard-relayers': { RELAYER_PRIVATE_KEYS: RELAYER_PRIVATE_KEYS! },
  'switchyard-access': { SIGNER_ACCESS_KEY: `0x${'a'.repeat(64)}` },
}

const builds = testWith('apt', hasDebian)
let all: Resource[] = []
let text = ''
const of = (kind: string) => all.filter((resource) => resource.kind === kind)
const processes: readonly ProcessRole[] = [...roles, 'signer']
const deploymentOf = (role: ProcessRole) =>
  [...of('Deployment'), ...of('StatefulSet')].find(({ metadata }) => metadata.name === `switchyard-${role}`)!
type Program = ProcessRole | 'migrate'
const programs: readonly Program[] = [...processes, 'migrate']
const podOf = (program: Program) => (program === 'migrate' ? of('Job')[0]! : deploymentOf(program)).spec.template
const containerOf = (program: Program) => podOf(program).spec.containers[0]!
function covers({ matchLabels, matchExpressions = [] }: Selector, labels: Labels): boolean {
  for (const { operator } of matchExpressions) expect(operator).toBe('NotIn')
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => !values.includes(labels[key]!))
  )
}

async function built(folder: string): Promise<string> {
  const out = join(temporaryFolder('kustomize'), 'all.yaml')
  await runProgram([await debianProgram('kustomize'), 'build', join(manifests, folder), '--output', out])
  return readFileSync(out, 'utf8')
}

/** The environment of a role's process. */
function environmentOf(role: ProcessRole): Labels {
  const { env, envFrom } = containerOf(role)
  const sources = envFrom.map(({ configMapRef, secretRef }) => {
    if (secretRef) return secrets[secretRef.name]
    return of('ConfigMap').find(({ metadata }) => metadata.name === configMapRef!.name)!.data
  })
  const named = env.flatMap(({ name, value, valueFrom }) => {
    const from = valueFrom?.secretKeyRef
    const given = from ? secrets[from.name]?.[from.key] : value
    if (given === undefined && !from?.optional) throw new Error(`Nothing gives ${name}`)
    return given === undefined ? [] : [[name, given]]
  })
  return Object.assign({}, ...sources, Object.fromEntries(named))
}

describe('the example on Kubernetes', () => {
  beforeAll(async () => {
    if (!hasDebian && !isRequired) return
    text = await built('overlays/example')
    all = text.split(/^---$/m).map((one) => Bun.YAML.parse(one) as Resource)
  })

  testWith('apt and Python 3.11', hasDebian && isNewPython())(
    'passes the strict schemas of Kubernetes 1.30 to 1.37, which refuse unknown fields',
    async () => {
      const tools = await pythonPackages('kubernetes-validate', join(import.meta.dir, 'requirements.txt'))
      const folder = temporaryFolder('kubernetes')
      const check = async (yaml: string, version: string) => {
        writeFileSync(join(folder, 'all.yaml'), yaml)
        const program = [
          join(tools, 'venv/bin/kubernetes-validate'),
          '--strict',
          '-k',
          version,
          join(folder, 'all.yaml'),
        ]
        const { stdout } = Bun.spawnSync(program, { env: { ...process.env, COLUMNS: '1000' } })
        return stdout.toString().trim().split('\n')
      }
      for (const version of ['1.30', '1.34', '1.37'])
        for (const [n, line] of (await check(text, version)).entries())
          expect(line, version).toContain(`passed for resource ${all[n]!.kind.toLowerCase()}/${all[n]!.metadata.name}`)
      const wrong = await check(text.replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem'), '1.37')
      expect(wrong.filter((line) => !line.includes(' passed '))).toEqual([
        expect.stringContaining("'readOnlyRootFileSystem' was unexpected"),
      ])
    },
  )

  builds('gives each role only its keys: signing keys to the signer, sending keys to workers', async () => {
    const known = new Set([...variableNames, ...keyNames])
    for (const role of processes) {
      const found = environmentOf(role)
      expect(
        Object.keys(found).filter((name) => !known.has(name)),
        role,
      ).toEqual([])
      // The addresses of the example are zero, which the service refuses until they are filled in.
      const withFiles = { ...found, ...filesOf(found) }
      expect(() => loadConfig(withFiles), role).toThrow('ACCOUNT_REGISTRY_ADDRESS must be')
      const { config, misplaced } = loadConfig({ ...withFiles, ...addressesOf(found) })
      expect([config.roles, misplaced]).toEqual([[role], []])
      expect([config.host, config.port, config.natsReplicas]).toEqual(['0.0.0.0', 3000, 3])
    }
    const holdersOf = (secret: string) =>
      processes.filter((role) => JSON.stringify(podOf(role)).includes(`"${secret}"`))
    expect(holdersOf('switchyard-signing')).toEqual(['signer'])
    expect(holdersOf('switchyard-relayers')).toEqual(['worker'])
    expect(holdersOf('switchyard-sealing')).toEqual(['api', 'signer'])
    expect(Object.keys(environmentOf('signer')).filter((name) => /^(MONGODB|NATS)_URL/.test(name))).toEqual([])
  })

  builds(
    'has workers and the signer show each other certificates, each with a key that no other pod is given',
    async () => {
      const worker = environmentOf('worker')
      expect(worker['SIGNER_URL']).toBe('https://switchyard-signer:3100')
      expect(of('Service').map(({ metadata }) => metadata.name)).toContain(new URL(worker['SIGNER_URL']!).hostname)
      const page = readFileSync(join(root, 'deploy', 'kubernetes', 'README.md'), 'utf8')
      for (const role of ['worker', 'signer'] as const) {
        const found = environmentOf(role)
        const { config } = loadConfig({ ...found, ...filesOf(found), ...addressesOf(found) })
        expect(config.signerTls, role).not.toBeNull()
        const secretName = `switchyard-${role}-tls`
        const { name } = podOf(role).spec.volumes.find(({ secret }) => secret?.secretName === secretName)!
        const mount = containerOf(role).volumeMounts.find((one) => one.name === name)
        expect(mount).toEqual({ name, mountPath: '/signing-tls', readOnly: true })
        // The files of the secret are those of the folder that certificates.sh makes for the role.
        const files = ['CERT', 'KEY', 'CA'].map((which) => found[`SIGNER_TLS_${which}_FILE`])
        expect(files).toEqual(['/signing-tls/tls.crt', '/signing-tls/tls.key', '/signing-tls/ca.crt'])
        expect(page).toContain(`create secret generic ${secretName} --from-file=certificates/${role} `)
        expect(programs.filter((program) => JSON.stringify(podOf(program)).includes(`"${secretName}"`))).toEqual([role])
      }
      const base = await built('base')
      expect([base.includes('SIGNER_TLS'), base.includes('http://switchyard-signer:3100')]).toEqual([false, true])
    },
  )

  builds('names in its README the command that creates each secret of a pod', async () => {
    const page = readFileSync(join(root, 'deploy', 'kubernetes', 'README.md'), 'utf8')
    const read = [
      ...text.matchAll(/name: (switchyard-(?:servers|providers|sealing|people|signing|relayers|access))$/gm),
    ]
    const names = new Set(read.map(([, name]) => name!).filter((name) => name in secrets))
    expect([...names].toSorted()).toEqual(Object.keys(secrets).toSorted())
    expect([...names].filter((name) => !page.includes(`create secret generic ${name} `))).toEqual([])
  })

  builds('runs nothing as root, with capabilities, or on a writable file system', async () => {
    for (const role of programs) {
      const { spec } = podOf(role)
      const accounts = of('ServiceAccount').map(({ metadata }) => metadata.name)
      expect(accounts, role).toContain(spec.serviceAccountName)
      expect(spec.serviceAccountName).toBe(`switchyard-${role}`)
      expect(spec.securityContext, role).toEqual({
        ...(role === 'signer' && { fsGroup: 1000 }), // its volume is mounted for that user
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(spec.automountServiceAccountToken, role).toBe(false)
      expect(spec.containers.length).toBe(1)
      expect(containerOf(role).securityContext, role).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      const { requests, limits } = containerOf(role).resources
      expect([Object.keys(requests), Object.keys(limits)]).toEqual([
        ['cpu', 'memory'],
        ['cpu', 'memory'],
      ])
    }
  })

  builds(
    'restarts no process for an outage elsewhere, and probes the readiness of the API and the signer',
    async () => {
      for (const role of processes) expect(containerOf(role).livenessProbe.httpGet.path, role).toBe('/api/health')
      const ready = processes.map((role) => containerOf(role).readinessProbe.httpGet.path)
      expect(ready).toEqual(['/ready', '/api/health', '/api/health', '/ready'])
    },
  )

  builds('has a disruption budget for each role, and every selector matches its pods', async () => {
    for (const role of processes) {
      const labels = podOf(role).metadata.labels
      expect(covers(deploymentOf(role).spec.selector, labels)).toBe(true)
      const budgets = of('PodDisruptionBudget').filter(({ spec }) => covers(spec.selector, labels))
      expect(budgets.map(({ metadata }) => metadata.name)).toEqual([`switchyard-${role}`])
    }
    const served = of('Service').map(({ spec }) =>
      processes.filter((role) => covers({ matchLabels: spec.selector }, podOf(role).metadata.labels)),
    )
    expect(served.toSorted()).toEqual([['api'], ['signer']])
    for (const { spec } of of('HorizontalPodAutoscaler'))
      expect(of('Deployment').map(({ metadata }) => metadata.name)).toContain(spec.scaleTargetRef.name)
  })

  builds('lets every process reach DNS, servers and public HTTPS, and no private address', async () => {
    const policies = of('NetworkPolicy')
    for (const role of processes) {
      const own = policies.filter(({ spec }) => covers(spec.podSelector, podOf(role).metadata.labels))
      expect(own.some(({ spec }) => spec.policyTypes.length === 2 && !spec.egress)).toBe(true)
      const blocks = own
        .flatMap(({ spec }) => spec.egress ?? [])
        .flatMap(({ to, ports }) =>
          to.flatMap(({ ipBlock }) => (ipBlock ? [{ ...ipBlock, ports: ports.map(({ port }) => port) }] : [])),
        )
      const open = blocks.filter(({ cidr }) => cidr === '0.0.0.0/0')
      expect(open.flatMap(({ ports }) => ports)).toEqual(role === 'api' ? [465, 587, 443, 1024] : [443])
      for (const { except } of open) expect(except).toContain('169.254.0.0/16')
      const posting = open.filter(({ ports }) => ports.includes(1024))
      for (const { except } of posting) expect(except).toContain('168.63.129.16/32')
    }
  })

  builds('lets only workers reach the signer, and the signer reach no server', async () => {
    const policies = of('NetworkPolicy')
    const portsInto = (role: Program, from: Program) =>
      policies
        .filter(({ spec }) => covers(spec.podSelector, podOf(role).metadata.labels))
        .flatMap(({ spec }) => spec.ingress ?? [])
        .filter((rule) =>
          rule.from.some((one) => one.podSelector && covers(one.podSelector, podOf(from).metadata.labels)),
        )
        .flatMap(({ ports }) => ports.map(({ port }) => port))
    expect(programs.filter((from) => portsInto('signer', from).length > 0)).toEqual(['worker'])
    expect(portsInto('signer', 'worker')).toEqual(['signer'])
    const reaches = (role: Program) =>
      policies
        .filter(({ spec }) => covers(spec.podSelector, podOf(role).metadata.labels))
        .flatMap(({ spec }) => spec.egress ?? [])
        .flatMap(({ ports }) => ports.map(({ port }) => port))
    expect([reaches('signer').includes(27_017), reaches('worker').includes(27_017)]).toEqual([false, true])
  })

  builds(
    'migrates with only the database’s key, from the same image, and can be applied before the processes',
    async () => {
      const { args, env, envFrom, image } = containerOf('migrate')
      expect([args, image]).toEqual([['migrate'], containerOf('worker').image])
      // The settings hold no secret, and they can name the database.
      expect(envFrom).toEqual([containerOf('worker').envFrom.find(({ configMapRef }) => configMapRef)!])
      const from = { name: 'switchyard-servers' }
      expect(env).toEqual([
        { name: 'MONGODB_URL', valueFrom: { secretKeyRef: { ...from, key: 'MONGODB_URL' } } },
        { name: 'MONGODB_DATABASE', valueFrom: { secretKeyRef: { ...from, key: 'MONGODB_DATABASE', optional: true } } },
      ])
      const own = of('NetworkPolicy').filter(({ spec }) => covers(spec.podSelector, podOf('migrate').metadata.labels))
      const names = own.map(({ metadata }) => metadata.name.replace('switchyard-', ''))
      expect(names.toSorted()).toEqual(['names', 'nothing-else', 'servers'])
      // The page of operations first applies everything that is not labelled as one of the roles.
      const later = all.filter(({ metadata }) =>
        (processes as readonly string[]).includes(metadata.labels?.['app.kubernetes.io/component'] ?? ''),
      )
      expect(later.map(({ kind }) => kind).toSorted()).toEqual([
        ...['Deployment', 'Deployment', 'Deployment', 'Service', 'Service', 'StatefulSet'],
      ])
    },
  )

  builds('selects the servers in the base itself, whatever the labels of this service', async () => {
    const base = await built('base')
    for (const server of ['mongodb', 'nats']) expect(base).toContain(`app.kubernetes.io/name: ${server}\n`)
  })
})

/** A readable file in place of each that a pod mounts. */
const filesOf = (found: Labels): Labels =>
  Object.fromEntries(
    Object.keys(found)
      .filter((name) => name.endsWith('_FILE'))
      .map((name) => [name, import.meta.path]),
  )

const addressesOf = (found: Labels): Labels =>
  Object.fromEntries(
    Object.keys(found)
      .filter((name) => /_ADDRESS(ES)?$/.test(name))
      .map((name) => [name, serviceVariables[name]!]),
  )

test('the image of the example is named once, with its digest', () => {
  const overlay = readFileSync(join(manifests, 'overlays/example/kustomization.yaml'), 'utf8')
  expect(overlay).toContain('digest: sha256:')
})
