import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { signerServer } from '../../src/adapters/signer/signer-server'
import { examination } from '../../src/app/doctor/doctor'
import type { Finding } from '../../src/app/doctor/finding'
import { Installation } from '../../src/cli/installation/installation'
import { gasPriceOracleAddress } from '../../src/devnet/chains/contracts'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { chainKeys, chains } from '../../src/domain/chain/chain'
import { type Hex, sameAddress } from '../../src/domain/chain/hex'
import { priceFeeds } from '../../src/domain/money/price-feeds'
import { lifiDiamond, usdcOf } from '../../src/protocols/lifi/diamond'
import { openPostbox } from '../dashboard/sign-in/postbox'
import { sample } from '../support/depth'
import { jsonRpcNode } from '../support/json-rpc-node'
import { mongoUrl } from '../support/servers'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'

let installation: Installation
let env: Record<string, string | undefined>

beforeAll(async () => {
  const dir = join(temporaryFolder('doctor'), 'state')
  installation = new Installation({ dir, port: 0, mongodbUrl: await mongoUrl() })
  const silent = () => {}
  await installation.choosePort()
  await Promise.all([installation.startNats(silent), installation.startMongo(silent), installation.startDevnet(silent)])
  await installation.seed()
  env = installation.serviceEnv()
  // A range of logs is refused only if the chain has more blocks than that.
  await Promise.all(chainKeys.map((key) => new Rpc(env[`RPC_URL_${key.toUpperCase()}`]!).ask('anvil_mine', '0x20')))
})
afterAll(() => installation?.stop())

const examined = (changed: Record<string, string>, withQuotes = false) =>
  examination({ ...env, ...changed }, { withQuotes, onArea: () => {} })

/** The checks with a verdict other than GOOD, with their subjects. */
const complaints = (findings: readonly Finding[], verdict: Finding['verdict']) =>
  findings.filter((each) => each.verdict === verdict).map(({ check, subject }) => `${check}: ${subject}`)

/** A node of Base that answers some calls itself. */
const nodeOfBase = (answer: Parameters<typeof jsonRpcNode>[0]) =>
  jsonRpcNode(answer, { behind: env['RPC_URL_BASE']!.split(',')[0]! })

/** URL from which a chain's node pushes its heads. */
const pushing = (name: string) => env[`RPC_URL_${name}`]!.replace('http', 'ws')

const refusing = (...methods: string[]) =>
  nodeOfBase(({ method }) =>
    methods.includes(method) ? { error: { code: -32601, message: 'the method does not exist' } } : undefined,
  )

test('an intact devnet has no bad finding, and every pair of chains has a route that could be signed', async () => {
  const { findings, answers } = await examined({ CCTP_URL: installation.devnet.cctpUrl }, true)
  expect(findings.filter(({ verdict }) => verdict === 'BAD')).toEqual([])
  const ofCircle = ({ check, subject }: Finding) => check === 'cctp-contracts' || subject.startsWith('Circle CCTP, ')
  expect(findings.filter((each) => ofCircle(each) && each.verdict === 'GOOD')).toHaveLength(5 + 20)
  expect(findings.filter(({ check, verdict }) => check === 'quote' && verdict === 'GOOD').length).toBeGreaterThan(20)
  expect(answers.length).toBeGreaterThan(100)
  const text = JSON.stringify(answers)
  for (const secret of [env['RPC_URL_BASE']!, env['ROUTE_SIGNER_PRIVATE_KEY']!, env['INTENT_MAC_KEY']!])
    expect(text).not.toContain(secret)
})

test('an unreadable configuration is reported by variable, and ends the examination', async () => {
  const { findings, answers } = await examined({ ROUTE_EXECUTOR_ADDRESS: '0x12', RPC_URL_BASE: '' })
  expect(findings.map(({ check, verdict }) => [check, verdict])).toEqual([
    ['configuration', 'BAD'],
    ['configuration', 'BAD'],
  ])
  expect(findings.map(({ sentence }) => sentence).join()).toMatch(/ROUTE_EXECUTOR_ADDRESS.*RPC_URL_BASE/)
  expect(answers).toEqual([])
})

describe('each fault is one bad line of the report', () => {
  const away = 'mongodb://127.0.0.1:1/switchyard?serverSelectionTimeoutMS=200'
  const cases: [fault: string, changed: () => Record<string, string>, expected: string[]][] = [
    ['a database that is away', () => ({ MONGODB_URL: away }), ['mongodb: MongoDB']],
    ['a NATS that is away', () => ({ NATS_URL: 'nats://127.0.0.1:1' }), ['nats: NATS']],
    ['more replicas than one server can hold', () => ({ NATS_REPLICAS: '3' }), ['nats-cluster: NATS']],
    [
      'a node of another chain',
      () => ({ RPC_URL_BASE: `${env['RPC_URL_BASE']},${env['RPC_URL_POLYGON']}` }),
      ['node-chain: Base, node 2'],
    ],
    [
      'a node that is away',
      () => ({ RPC_URL_BASE: `${env['RPC_URL_BASE']},http://127.0.0.1:1` }),
      ['node-chain: Base, node 2'],
    ],
    [
      'a subscription to another chain',
      () => ({ RPC_URL_BASE: [env['RPC_URL_BASE'], pushing('BASE'), pushing('POLYGON')].join() }),
      ['node-subscription: Base, subscription 2'],
    ],
    [
      'a key that this process does not need',
      () => ({ ROLES: 'scanner' }),
      // The keys of relayers, orders, intents and receipts.
      Array<string>(4).fill('configuration: Environment'),
    ],
    [
      'fees for an unlisted collector',
      () => ({ FEE_COLLECTOR_ADDRESS: '0x00000000000000000000000000000000000000aa' }),
      ['Base', 'Ethereum', 'Polygon', 'Arbitrum', 'Avalanche'].map((name) => `contracts: ${name}`),
    ],
  ]
  testAll(sample('faults of settings and servers', cases, 4))(
    'exactly the expected lines are bad',
    async (_fault, changed, expected) => {
      const { findings } = await examined(changed())
      expect(complaints(findings, 'BAD').toSorted()).toEqual(expected.toSorted())
    },
  )
})

const tooMany = { error: { code: -32600, message: 'batch too large' } }
/** The node counts the balances requested. More than ten are requested only in a batch. */
let balances = 0
const isMany = () => ++balances > 10

test('a missing token list ends the examination, because the other checks need it', async () => {
  const { findings } = await examined({ TOKEN_LIST: '/nowhere/tokens.json' })
  expect(complaints(findings, 'BAD')).toEqual(['token-list: Tokens'])
})

test('a poor relayer, a delegated relayer, a single node and an unencrypted URL are reported', async () => {
  const [relayer] = installation.devnet.keys.relayers.map(privateKeyToAddress)
  const base = new Rpc(env['RPC_URL_BASE']!)
  const had = await base.ask('eth_getBalance', relayer!, 'latest')
  await base.ask('anvil_setBalance', relayer!, '0x1')
  await base.ask('anvil_setCode', relayer!, `0xef0100${'11'.repeat(20)}`)
  try {
    const outside = { PUBLIC_URL: 'http://routes.example.com', HOST: '0.0.0.0', AUTH_SECRET: 'a'.repeat(32) }
    const { findings } = await examined(outside)
    expect(complaints(findings, 'BAD')).toEqual([
      `relayer-key: Base, relayer ${relayer}`,
      `relayer-balance: Base, relayer ${relayer}`,
      'public-url: Public address',
    ])
    expect(complaints(findings, 'UNKNOWN').filter((each) => each.startsWith('nodes: '))).toHaveLength(5)
  } finally {
    await base.ask('anvil_setBalance', relayer!, had)
    await base.ask('anvil_setCode', relayer!, '0x')
  }
})

test('the doctor trusts NATS’s monitoring on whether it writes to disk immediately', async () => {
  const server = (sync_always: boolean) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.json({ jetstream: { config: { sync_always } } }),
    })
  const [strict, loose] = [server(true), server(false)]
  const said = async (...servers: (typeof strict)[]) => {
    const natsMonitors = servers.map(({ url }) => url.origin)
    const { findings } = await examination(env, { withQuotes: false, natsMonitors, onArea: () => {} })
    return findings.flatMap(({ check, verdict }) => (check === 'nats-durability' ? verdict : []))
  }
  try {
    expect([await said(strict), await said(strict, loose), await said()]).toEqual([['GOOD'], ['BAD'], ['UNKNOWN']])
  } finally {
    await Promise.all([strict.stop(true), loose.stop(true)])
  }
})

describe('each defect of a node is reported for that node, with the action', () => {
  const cases: [
    fault: string,
    node: () => ReturnType<typeof jsonRpcNode>,
    verdict: Finding['verdict'],
    check: string,
  ][] = [
    ['no access lists', () => refusing('eth_createAccessList'), 'BAD', 'node-access-list'],
    ['no tip', () => refusing('eth_maxPriorityFeePerGas'), 'BAD', 'node-tip'],
    [
      'a batch of ten calls at most',
      () =>
        nodeOfBase(({ method, params }) =>
          method === 'eth_getBalance' && params[1] === 'latest' && isMany() ? tooMany : undefined,
        ),
      'BAD',
      'node-batch',
    ],
    [
      'no state but the newest',
      () =>
        nodeOfBase(({ method, params }) =>
          method === 'eth_call' && /^0x/.test(String(params[1]))
            ? { error: { code: -32000, message: 'missing trie node' } }
            : undefined,
        ),
      'BAD',
      'node-history',
    ],
    ['no traces', () => refusing('debug_traceBlockByNumber', 'trace_block'), 'UNKNOWN', 'node-trace'],
    [
      'overrides that are ignored',
      () =>
        nodeOfBase(({ method, params }) =>
          method === 'eth_call' && params.length > 2 ? { result: `0x${'0'.repeat(64)}` } : undefined,
        ),
      'BAD',
      'node-overrides',
    ],
    [
      'logs of ten blocks at most',
      () =>
        nodeOfBase(({ method, params }) => {
          const [{ fromBlock, toBlock } = {}] = params as { fromBlock?: string; toBlock?: string }[]
          if (method !== 'eth_getLogs' || Number(toBlock) - Number(fromBlock) < 10) return
          return { error: { code: -32600, message: 'You can make eth_getLogs requests with up to a 10 block range.' } }
        }),
      'BAD',
      'node-log-range',
    ],
    [
      'a filter of 500 addresses at most',
      () =>
        nodeOfBase(({ method, params }) => {
          const [{ address = [] } = {}] = params as { address?: string[] }[]
          if (method === 'eth_getLogs' && address.length > 500)
            return { error: { code: -32602, message: 'too many addresses' } }
          return
        }),
      'BAD',
      'node-log-addresses',
    ],
    [
      'a head that is an hour old',
      () =>
        nodeOfBase(({ method, params }) =>
          method === 'eth_getBlockByNumber' && params[0] === 'latest'
            ? { result: { number: '0x1', timestamp: `0x${(Math.floor(Date.now() / 1_000) - 3_600).toString(16)}` } }
            : undefined,
        ),
      'BAD',
      'node-head',
    ],
  ]
  testAll(sample('defects of a node', cases, 4))(
    'with its own verdict and check',
    async (_fault, start, verdict, check) => {
      const node = start()
      try {
        const { findings } = await examined({ RPC_URL_BASE: `${env['RPC_URL_BASE']},${node.url}` })
        const own = findings.filter(({ subject }) => subject === 'Base, node 2')
        expect(complaints(own, verdict)).toEqual([`${check}: Base, node 2`])
        expect(own.find((each) => each.check === check)!.advice).toMatch(/\w/)
        expect(JSON.stringify(findings)).not.toContain('secret-key')
      } finally {
        await node.stop()
      }
    },
  )
})

describe('a failing provider is reported', () => {
  test('bridges that LI.FI does not know, and routes that could not be signed, are reported', async () => {
    const real = env['LIFI_URL']!
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname, search } = new URL(request.url)
        if (pathname === '/tools') return Response.json({ bridges: [{ key: 'another' }] })
        const answer = (await (await fetch(`${real}${pathname}${search}`)).json()) as {
          transactionRequest?: { to: string }
        }
        if (answer.transactionRequest) answer.transactionRequest.to = '0x00000000000000000000000000000000000000aa'
        return Response.json(answer)
      },
    })
    try {
      const { findings } = await examined({ LIFI_URL: `http://127.0.0.1:${server.port}`, RELAY_URL: '' }, true)
      const bad = findings.filter(({ verdict }) => verdict === 'BAD')
      expect([...new Set(bad.map(({ check }) => check))].toSorted()).toEqual(['lifi-bridges', 'quote'])
      expect(bad.filter(({ check }) => check === 'quote').length).toBeGreaterThan(5)
    } finally {
      await server.stop(true)
    }
  })

  test('an unreachable provider is unknown instead of bad, because it may return before money moves', async () => {
    const { findings } = await examined({ LIFI_URL: 'http://127.0.0.1:1', RELAY_URL: '' }, true)
    expect(complaints(findings, 'BAD')).toEqual([])
    expect(complaints(findings, 'UNKNOWN').filter((each) => /LI\.FI/.test(each))).toEqual([
      'lifi-bridges: LI.FI',
      'quote: LI.FI, Base to Ethereum',
    ])
  })
})

describe('outside services are reported fault by fault', () => {
  const ofAlchemy = (findings: readonly Finding[]) =>
    findings
      .filter(({ check }) => check === 'webhooks')
      .map(({ subject, verdict, sentence }) => [subject, verdict, sentence])
  const outside = (findings: readonly Finding[], check: string) =>
    findings.filter((each) => each.check === check).map(({ verdict, sentence }) => [verdict, sentence])

  test('Alchemy: a refused token, a paused or missing webhook, and a missing address are reported', async () => {
    const real = env['ALCHEMY_NOTIFY_URL']!
    let change = (list: { network: string; is_active: boolean }[]) => list
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname, search } = new URL(request.url)
        const answer = await fetch(`${new URL(real).origin}${pathname}${search}`, { headers: request.headers })
        const { data } = (await answer.json()) as { data: { network: string; is_active: boolean }[] }
        return Response.json({ data: change(data) })
      },
    })
    const changed = { ALCHEMY_NOTIFY_URL: `http://127.0.0.1:${server.port}/api` }
    try {
      change = ([first, second, ...others]) => [
        { ...first!, is_active: false },
        ...others.filter((each) => each !== second),
      ]
      expect(ofAlchemy((await examined(changed)).findings)).toEqual([
        ['Alchemy, Base', 'BAD', 'Its webhook is paused.'],
        ['Alchemy, Ethereum', 'UNKNOWN', 'It has no webhook to our address yet.'],
        ...['Polygon', 'Arbitrum', 'Avalanche'].map((name) => [`Alchemy, ${name}`, 'GOOD', 'Its webhook is active.']),
      ])
    } finally {
      await server.stop(true)
    }
    const refused = await examined({ ALCHEMY_AUTH_TOKEN: 'another-token' })
    expect(ofAlchemy(refused.findings)).toEqual([['Alchemy', 'BAD', 'Alchemy refuses ALCHEMY_AUTH_TOKEN.']])
    expect(JSON.stringify(refused)).not.toContain('another-token')
    const unaddressed = await examined({ ALCHEMY_WEBHOOK_URL: '', PUBLIC_URL: '' })
    expect(ofAlchemy(unaddressed.findings)).toEqual([['Alchemy', 'BAD', 'Alchemy has no address to send webhooks to.']])
    const away = await examined({ ALCHEMY_NOTIFY_URL: 'http://127.0.0.1:1' })
    expect(ofAlchemy(away.findings)).toEqual([['Alchemy', 'UNKNOWN', 'The check failed (ECONNREFUSED).']])
  })

  test('mail server: a working one, an unreachable one, a wrong password and a wrong address are distinguished', async () => {
    const postbox = await openPostbox()
    const strict = await openPostbox(0, { password: 'right' })
    const withUser = (password: string) => strict.url.replace('//', `//ann:${password}@`)
    const advice = 'Check SMTP_URL: the host, the port, the user and the password.'
    const mail = async (SMTP_URL: string) => {
      const { findings } = await examined({ SMTP_URL, PUBLIC_URL: 'http://127.0.0.1:1' })
      expect(outside(findings, 'public-url')).toEqual([['UNKNOWN', expect.stringContaining('The check failed')]])
      expect(JSON.stringify(findings)).not.toContain('wrong-password')
      return findings.filter(({ check }) => check === 'mail').map((each) => [each.verdict, each.sentence, each.advice])
    }
    try {
      expect(await mail(postbox.url)).toEqual([['GOOD', 'It accepts our sign-in.', null]])
      expect(await mail(withUser('right'))).toEqual([['GOOD', 'It accepts our sign-in.', null]])
      expect(await mail(withUser('wrong-password'))).toEqual([
        ['BAD', 'It does not accept our sign-in (EAUTH).', advice],
      ])
      const [away] = await mail('smtp://127.0.0.1:1')
      expect(away).toEqual(['BAD', expect.stringMatching(/sign-in \(E[A-Z]+\)/), advice])
    } finally {
      await Promise.all([postbox.close(), strict.close()])
    }
  })
})

test('feeds, tokens, functions and chains that differ from the release are reported by name', async () => {
  const [usdc, feed] = [usdcOf(chains.base.id), priceFeeds.find(({ chainId }) => chainId === chains.base.id)!]
  const node = nodeOfBase(({ method, params }) => {
    const { to = '', data = '' } = (params[0] ?? {}) as { to?: string; data?: string }
    if (method !== 'eth_call') return
    if (data.includes(feed.address.slice(2).toLowerCase())) return { result: '0x' }
    if (sameAddress(to as Hex, lifiDiamond) && data.startsWith('0xcdffacc6')) return { result: `0x${'0'.repeat(64)}` }
    if (sameAddress(to as Hex, gasPriceOracleAddress)) return { error: { code: 3, message: 'execution reverted' } }
    return
  })
  const list = JSON.parse(readFileSync(env['TOKEN_LIST']!, 'utf8')) as {
    tokens: { address: string; chainId: number; decimals: number }[]
  }
  const path = join(temporaryFolder('tokens'), 'tokens.json')
  const other = list.tokens.find(
    ({ chainId, address }) => chainId === chains.base.id && !sameAddress(address as Hex, usdc),
  )!
  const tokens = list.tokens.map((each) => (each === other ? { ...each, decimals: each.decimals + 1 } : each))
  writeFileSync(path, JSON.stringify({ ...list, tokens }))
  const relay = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ chains: chainKeys.map((key) => ({ id: chains[key].id, name: 'another' })) }),
  })
  try {
    const changed = { RPC_URL_BASE: node.url, TOKEN_LIST: path, RELAY_URL: `http://127.0.0.1:${relay.port}` }
    const { findings } = await examined({ ...changed, LIFI_URL: '' }, true)
    const bad = new Set(
      findings.filter(({ verdict }) => verdict === 'BAD').map(({ check, subject }) => `${check}: ${subject}`),
    )
    for (const line of [
      'node-operator-fee: Base, node 1',
      'lifi-functions: Base',
      `price-feed: Base, ${feed.pairs[0]}`,
      'relay-chains: Relay',
    ])
      expect([...bad]).toContain(line)
    expect([...bad].filter((each) => each.startsWith('token: Base'))).toHaveLength(1)
  } finally {
    await Promise.all([node.stop(), relay.stop(true)])
  }
})

describe('a worker beside a signer', () => {
  const accessKey = `0x${'a'.repeat(64)}` as const
  const ofWorker = (url: string, key: string = accessKey) => ({
    ...{ ROLES: 'worker', ROUTE_SIGNER_PRIVATE_KEY: '', INTENT_MAC_KEY: '', AUTH_SECRET: '', RECEIPT_KEY: '' },
    ...{ SIGNER_URL: url, SIGNER_ACCESS_KEY: key },
  })
  const signerOf = (routeSigner: Hex, behindMs = 0) =>
    signerServer({
      now: Date.now,
      listen: '127.0.0.1:0',
      accessKeys: [accessKey],
      signing: {} as never,
      status: () => ({ address: privateKeyToAddress(routeSigner), at: Date.now() - behindMs, version: '' }),
    })

  testAll<[string, () => [Hex, number, string], string[]]>([
    ['that is in order', () => [env['ROUTE_SIGNER_PRIVATE_KEY'] as Hex, 0, accessKey], []],
    ['with a late clock', () => [env['ROUTE_SIGNER_PRIVATE_KEY'] as Hex, 40_000, accessKey], ['signer-clock: Signer']],
    ['that refuses it', () => [env['ROUTE_SIGNER_PRIVATE_KEY'] as Hex, 0, `0x${'b'.repeat(64)}`], ['signer: Signer']],
    [
      'with a key that no executor accepts',
      () => [`0x${'7'.repeat(64)}`, 0, accessKey],
      chainKeys.map((key) => `contracts: ${chains[key].name}`),
    ],
  ])('each fault of a signer is reported, and an intact signer has none', async (_how, given, expected) => {
    const [key, behindMs, shown] = given()
    const signer = signerOf(key, behindMs)
    const { findings } = await examined(ofWorker(signer.url, shown))
    expect(complaints(findings, 'BAD').toSorted()).toEqual(expected.toSorted())
    await signer.stop()
  })

  test('and the signer itself, which has no database to examine', async () => {
    const path = join(temporaryFolder('doctor-log'), 'signing.log')
    const own = {
      ...{ ROLES: 'signer', RELAYER_PRIVATE_KEYS: '', RECEIPT_KEY: '' },
      ...{ SIGNER_ACCESS_KEY: accessKey, SIGNER_LOG_PATH: path },
    }
    const logIn = async () =>
      (await examined({ ...own, MONGODB_URL: 'mongodb://127.0.0.1:1' })).findings.filter(
        ({ check, verdict }) => check === 'signing-log' || verdict === 'BAD',
      )
    expect((await logIn()).map(({ verdict }) => verdict)).toEqual(['UNKNOWN'])
    writeFileSync(path, '{"seq":7}\n')
    expect((await logIn()).map(({ verdict }) => verdict)).toEqual(['BAD'])
  })
})
