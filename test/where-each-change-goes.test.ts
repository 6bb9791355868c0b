import { beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { nightly, sample } from './support/depth'
import { temporaryFolder } from './support/temporary-folder'
import { testAll } from './support/test-all'

const root = join(import.meta.dir, '..')
const page = await Bun.file(join(root, 'CONTRIBUTING.md')).text()
const copy = temporaryFolder('where-each-change-goes')

type Edit = [path: string, before: string, after: string]
/** An edit that adds a file. */
const added = (path: string, text: string): Edit => [path, '', text]

const chain: Edit[] = [
  [
    'src/domain/chain/chain.ts',
    '} as const satisfies Record<string, ChainRow>',
    `  optimism: {
    id: 10,
    name: 'Optimism',
    native: { symbol: 'ETH', name: 'Ether', aliases: [], tokenAddress: null },
    explorerUrl: 'https://optimistic.etherscan.io',
    confirmations: 10,
    blockSeconds: 2,
    alchemyNetwork: 'OPT_MAINNET',
    alchemyHost: 'opt-mainnet',
    layerZeroEndpointId: 30111,
    relayName: 'optimism',
    cctpDomain: 2,
    cctpFast: true,
    gasLimitMax: 8_000_000n,
    tipMaxWei: 10n * gwei,
    nativeFeeMaxWei: ether / 100n,
    l1DataFee: 'OP_STACK',
    isDataInGas: false,
  },
} as const satisfies Record<string, ChainRow>`,
  ],
  [
    'src/domain/chain/chain.ts',
    '} as const satisfies Record<keyof typeof mainnet, ChainRow>',
    `  optimism: {
    ...mainnet.optimism,
    id: 11155420,
    name: 'OP Sepolia',
    explorerUrl: 'https://sepolia-optimism.etherscan.io',
    alchemyNetwork: 'OPT_SEPOLIA',
    alchemyHost: 'opt-sepolia',
    layerZeroEndpointId: 40232,
    relayName: 'optimism-sepolia',
  },
} as const satisfies Record<keyof typeof mainnet, ChainRow>`,
  ],
  [
    'docs/reference/providers.md',
    '\n\nIf an order moves',
    '\n| Optimism | 10 | one sequencer; blocks every 2 s |\n\nIf an order moves',
  ],
  [
    'src/domain/money/token.ts',
    "\n}\n\n/** Circle's test USDC",
    `
  optimism: [
    ['USDC', 'USD Coin', 6, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 'USD Coin'],
    ['WETH', 'Wrapped Ether', 18, '0x4200000000000000000000000000000000000006', 'Ether'],
  ],
}

/** Circle's test USDC`,
  ],
  [
    'src/domain/money/token.ts',
    '\n}\n\nconst rows',
    `
  optimism: [
    ['USDC', 'USD Coin', 6, '0x5fd84259d66Cd46123540766Be93DFE6D43130D7', 'USD Coin'],
    ['WETH', 'Wrapped Ether', 18, '0x4200000000000000000000000000000000000006', 'Ether'],
  ],
}

const rows`,
  ],
  [
    'src/domain/money/price-feeds.ts',
    '\n}\n\n/** On the test networks',
    `
  optimism: [['ETH WETH', 'ETH / USD', 1_200, '0x13e3Ee699D1909E989722E753853AE30b17e08c5']],
}

/** On the test networks`,
  ],
  [
    'src/domain/money/price-feeds.ts',
    '\n}\n\nconst rows',
    `
  optimism: [['ETH WETH', 'ETH / USD', 86_400, '0x61Ec26aA57019C486B10502285c5A3D4A4750AD7']],
}

const rows`,
  ],
]

const provider: Edit[] = [
  [
    'src/domain/execution/provider.ts',
    '} as const',
    `  meridian: {
    name: 'Meridian',
    keyed: limits(per(minuteMs, 10), per(minuteMs, 10)),
    keyless: limits(per(minuteMs, 10), per(minuteMs, 10)),
  },
} as const`,
  ],
  added(
    'src/adapters/aggregators/meridian.ts',
    `import type { Aggregator } from '../../providers/aggregator'

export type MeridianConfig = { url: string }

export const meridian = (_config: MeridianConfig): Aggregator<'meridian'> => ({
  name: 'meridian',
  quote: async () => null,
  outcome: async () => ({ kind: 'PENDING' }),
  priceUsd: async () => null,
})
`,
  ),
  [
    'src/adapters/aggregators/index.ts',
    'import { type RelayConfig',
    "import { meridian, type MeridianConfig } from './meridian'\nimport { type RelayConfig",
  ],
  [
    'src/adapters/aggregators/index.ts',
    'relay?: RelayConfig | null\n',
    'relay?: RelayConfig | null\n  meridian?: MeridianConfig\n',
  ],
  [
    'src/adapters/aggregators/index.ts',
    '\n}\n\n/** Returns the configured providers',
    '\n  meridian: (config) => (config.meridian ? meridian(config.meridian) : null),\n}\n\n/** Returns the configured providers',
  ],
  ['src/app/config/config.ts', 'requestsPerMinute: {', 'requestsPerMinute: {\n      meridian: null,'],
  [
    'src/app/routing-providers.ts',
    ' lifi: config.lifiUrl',
    " meridian: { url: 'https://meridian.example' },\n    lifi: config.lifiUrl",
  ],
  ['src/app/routing-providers.ts', 'cctp: null,\n', 'cctp: null,\n    meridian: null,\n'],
  ['test/ports/aggregator.test.ts', 'cctp: cctpFixtures,', 'cctp: cctpFixtures,\n  meridian: relayFixtures,'],
]

const endpoint: Edit[] = [
  added(
    'src/http/routes/clock.ts',
    `import { Elysia } from 'elysia'
import { type } from '../../domain/schema'
import { operationDocs } from '../openapi/operation-docs'
import { isoTime, Time } from '../views/scalar'

const ClockView = type({ now: Time('The present time') })

export const clock = (now: () => number, prefix: string) =>
  new Elysia({ prefix }).get(
    '/clock',
    () => ({ now: isoTime(now()) }),
    operationDocs({
      operationId: 'getClock',
      tag: 'Getting started',
      summary: 'The clock of the service',
      description: 'Needs no key.',
      roles: [],
      answers: { 200: { view: ClockView, description: 'The present time.' } },
      refusals: [],
    }),
  )
`,
  ),
  ['src/app/api/api.ts', 'import { health }', "import { clock } from '../../http/routes/clock'\nimport { health }"],
  [
    'docs/reference/extensions.md',
    '| `GET /api/lifecycle` |',
    '| `GET /api/clock` | everybody | R | 10.1 |\n| `GET /api/lifecycle` |',
  ],
  ['src/app/api/api.ts', '.use(health(now, apiPrefix))', '.use(health(now, apiPrefix)).use(clock(now, apiPrefix))'],
]

const setting: Edit[] = [
  ['src/app/config/config.ts', '  METRICS_TOKEN: ', '  HERALD_MS: integerOr(5_000, 0, 60_000),\n  METRICS_TOKEN: '],
]
const field: Edit[] = [
  [
    'src/http/views/execution-full.ts',
    '  traceId: TraceIdText,',
    "  traceId: TraceIdText,\n  'heraldedBy?': Text('Herald', 'ann'),",
  ],
]
const metric: Edit[] = [
  [
    'src/app/telemetry/meters.ts',
    'const counters = {',
    "const counters = {\n  heralds_total: { help: 'Heralds', labels: [], initial: [{}] },",
  ],
]
/** What the failing tests ask for after these edits. `UPDATE=1` writes the rest. */
const askedFor: Edit[] = [
  ['.env.example', '# METRICS_TOKEN=', '# METRICS_TOKEN=\n# Milliseconds between two heralds.\n# HERALD_MS=5000'],
  [
    'docs/reference/extensions.md',
    '| `history` | array |',
    '| `heraldedBy` | string | the herald |\n| `history` | array |',
  ],
]
/** As the output of the failing tests names them. */
const namesAsked = ['HERALD_MS', 'ExecutionDetailView.heraldedBy', 'heralds_total']

/** The paths in a row of the table. A path that ends in a slash covers every file in the folder. */
function namedFor(change: string): string[] {
  const section = page.slice(page.indexOf('## Where each change goes'))
  const row = section.split('\n').find((line) => line.startsWith(`| ${change} |`))
  if (!row) throw new Error(`CONTRIBUTING.md has no row for ${change}`)
  return [...row.matchAll(/`([\w./-]+)`/g)].map(([, path]) => path!)
}

async function carryOut(edits: Edit[]): Promise<void> {
  for (const [path, before, after] of edits) {
    const file = Bun.file(join(copy, path))
    const text = before === '' ? '' : await file.text()
    if (!text.includes(before)) throw new Error(`${path} has no ${before}`)
    await Bun.write(
      file,
      text.replace(before, () => after),
    )
  }
}

async function run(...command: string[]): Promise<{ code: number; said: string }> {
  const child = Bun.spawn(command, { cwd: copy, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, said: `${out}${err}` }
}

/** The failed tests in the output of `bun test`. */
const failuresIn = (said: string): string => said.replaceAll(/^\(pass\) .*\n/gm, '')

const question = `import { test } from 'bun:test'
import { aggregators } from './src/adapters/aggregators'
import { chainName } from './src/dashboard/data/format'
import { startDevnet } from './src/devnet/devnet'
import { providerName } from './src/domain/execution/provider'
import { apiWorld } from './test/http/world'
import { temporaryFolder } from './test/support/temporary-folder'

test('what the copy answers', async () => {
  const { api, ask, key, organization } = apiWorld()
  const caller = { key: await key(await organization('org_a')) }
  const document = await (await api.handle(new Request('http://localhost/docs/json'))).json()
  const configured = aggregators({ lifi: { url: '', apiKey: null, bridges: [] }, meridian: { url: '' } })
  const devnet = await startDevnet({ dir: temporaryFolder('devnet') })
  await devnet.stop()
  console.log(JSON.stringify({
    chains: (await ask('/api/chains', caller)).json.map(({ chainKey }) => chainKey),
    tokens: (await ask('/api/tokens?chainId=10', caller)).json.map(({ tokenSymbol }) => tokenSymbol),
    documentedChains: document.components.schemas.SupportedChainKey.enum,
    clock: (await ask('/api/clock')).json,
    documentsClock: '/api/clock' in document.paths,
    providers: configured.map(({ name }) => name),
    names: [chainName('optimism'), providerName('meridian')],
    onDevnet: Object.values(devnet.chains).map(({ key }) => key),
  }))
})
`

beforeAll(async () => {
  const folders = ['src', 'machines', 'test', 'bench', 'contracts', 'docs', 'deploy', 'clients', 'examples']
  const files = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !/^\.(env|git)$/.test(entry.name),
  )
  for (const path of [...folders, ...files.map(({ name }) => name)])
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: (from) => !from.includes('node_modules') })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const edits of [chain, provider, endpoint]) await carryOut(edits)
})

const testsThatAsk = ['test/reference.test.ts', 'test/documents.test.ts']
const rulesOfTheProject = ['test/tidy.test.ts', 'test/documents.test.ts', 'test/domain']

describe('the table of where each change goes', () => {
  testAll([
    ['a chain', chain],
    ['an aggregator', provider],
    ['an endpoint', endpoint],
    ['a setting', [...setting, ...askedFor.slice(0, 1)]],
    ['a field of a view', [...field, ...askedFor.slice(1)]],
    ['a log line or a metric', metric],
  ])('names every place that a change touches', (change, edits) => {
    const named = namedFor(change)
    const isNamed = (path: string) =>
      named.some((each) => path === each || (each.endsWith('/') && path.startsWith(each)))
    expect(edits.map(([path]) => path).filter((path) => !isNamed(path))).toEqual([])
  })

  test('a chain, a provider and an endpoint added there work', async () => {
    await Bun.write(join(copy, 'question.test.ts'), question)
    const { code, said } = await run(process.execPath, 'test', './question.test.ts')
    expect(code, said).toBe(0)
    const answered = JSON.parse(said.split('\n').find((line) => line.startsWith('{'))!)
    expect(answered).toMatchObject({
      clock: { now: '2026-11-21T10:00:00.000Z' },
      documentsClock: true,
      providers: ['lifi', 'meridian'],
      names: ['Optimism', 'Meridian'],
    })
    for (const list of [answered.chains, answered.documentedChains, answered.onDevnet])
      expect(list).toContain('optimism')
    expect(answered.tokens).toContain('ETH')
  })

  test('the tests named there ask for the rest of a setting, a field of a view and a metric', async () => {
    for (const edits of [setting, field, metric]) await carryOut(edits)
    const asking = await run(process.execPath, 'test', ...testsThatAsk)
    expect(namesAsked.filter((name) => !asking.said.includes(name))).toEqual([])
    await carryOut(askedFor)
    const written = await run('env', 'UPDATE=1', process.execPath, 'test', ...testsThatAsk)
    expect(written.code, failuresIn(written.said)).toBe(0)
    const tables = ['configuration', 'metrics'].map((name) => Bun.file(join(copy, `docs/reference/${name}.md`)).text())
    const text = (await Promise.all(tables)).join()
    expect(['`HERALD_MS`', '`heralds_total`'].filter((name) => !text.includes(name))).toEqual([])
  })

  nightly('the type check passes with them', async () => {
    expect(await run('npx', '--no-install', 'tsc', '--noEmit', '--checkers', '1')).toMatchObject({ code: 0 })
  })

  test('the project’s rules hold with them', async () => {
    const rules = await run(
      process.execPath,
      'test',
      ...sample('rules of the project in a changed copy', rulesOfTheProject, 1),
    )
    expect(rules.code, failuresIn(rules.said)).toBe(0)
  })
})
