import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, toHex, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { routeExecutorAbi } from '../../contracts/artifacts/abi'
import { artifact } from '../../src/deploying/artifact'
import type { ChainStatus } from '../../src/deploying/chain-status'
import { readDeploymentFile } from '../../src/deploying/deployment-file'
import { productContracts } from '../../src/deploying/product-contracts'
import { type Anvil, startAnvil } from '../../src/devnet/chains/anvil'
import { accountAddressOf, deploymentProxy, implementationAddressOf } from '../../src/domain/chain/account'
import { type ChainKey, chainKeys, chains } from '../../src/domain/chain/chain'
import { tokenMessenger } from '../../src/protocols/cctp/burn'
import { lifiDiamond } from '../../src/protocols/lifi/diamond'
import { relayDepository } from '../../src/protocols/relay/relay-order'
import { isNightly, nightly, sample } from '../support/depth'
import { jsonRpcNode } from '../support/json-rpc-node'
import { temporaryFolder } from '../support/temporary-folder'

const dir = temporaryFolder('contracts')
const path = join(dir, 'deployment.json')
const keys = Object.fromEntries(
  ['deployer', 'admin', 'guardian', 'recovery', 'liveAdmin', 'liveGuardian', 'liveRecovery', 'relayer', 'signer'].map(
    (name) => [name, generatePrivateKey()],
  ),
) as Record<string, `0x${string}`>
const addressOf = (name: string) => privateKeyToAccount(keys[name]!).address
const ether = 10n ** 18n
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** A contract that returns 6 to every call, as a token returns its decimals. */
const tellsSix = '0x60065f5260205ff3'

const file = () => ({
  holders: {
    genesis: { admin: addressOf('admin'), guardian: addressOf('guardian'), recovery: addressOf('recovery') },
    live: { admin: addressOf('liveAdmin'), guardian: addressOf('liveGuardian'), recovery: addressOf('liveRecovery') },
  },
  relayers: [addressOf('relayer')],
  signers: [addressOf('signer')],
  collectors: ['0x00000000000000000000000000000000000000AA'],
  maxNativeFeeWei: '10000000000000000',
  caps: {
    base: { native: `${5n * ether}`, [usdc]: '50000000000' },
    ethereum: { native: `${20n * ether}` },
    polygon: { native: `${9n * ether}` },
    arbitrum: { native: `${20n * ether}` },
    avalanche: { native: `${7n * ether}` },
  },
})

let anvils: Record<ChainKey, Anvil>
let env: Record<string, string>
beforeAll(async () => {
  writeFileSync(path, JSON.stringify(file()))
  const started = chainKeys.map(async (key) => {
    const own = join(dir, key)
    mkdirSync(own, { recursive: true })
    const anvil = await startAnvil({ key, id: chains[key].id, dir: own, genesisTime: Math.floor(Date.now() / 1_000) })
    await anvil.rpc.askAll([
      ['evm_setIntervalMining', 0],
      ['evm_setAutomine', true],
      ['anvil_setCode', lifiDiamond, artifact('DevBridge').deployedBytecode],
      ['anvil_setCode', relayDepository, artifact('DevDepository').deployedBytecode],
      ['anvil_setCode', tokenMessenger, artifact('DevTokenMessenger').deployedBytecode],
      ...Object.keys(keys).map((name) => ['anvil_setBalance', addressOf(name), toHex(100n * ether)] as const),
    ] as never)
    if (key === 'base') await anvil.rpc.ask('anvil_setCode', usdc, tellsSix)
    return [key, anvil] as const
  })
  anvils = Object.fromEntries(await Promise.all(started)) as Record<ChainKey, Anvil>
  env = Object.fromEntries(chainKeys.map((key) => [`RPC_URL_${key.toUpperCase()}`, urlOf(key)]))
})
afterAll(() => Promise.all(Object.values(anvils ?? {}).map((anvil) => anvil.stop())))

const urlOf = (key: ChainKey) => `http://127.0.0.1:${anvils[key].port}`
const onAll = (method: string, ...params: unknown[]) =>
  Promise.all(chainKeys.map((key) => anvils[key].rpc.ask(method as never, ...(params as never[]))))

const start = (verb: string, given: Record<string, string>, options: string[] = []) =>
  Bun.spawn([process.execPath, 'src/cli/main.ts', 'contracts', verb, '--file', path, ...options], {
    env: { PATH: process.env['PATH'] ?? '', ...env, ...given },
    stdout: 'pipe',
    stderr: 'pipe',
  })

async function contracts(verb: string, given: Record<string, string> = {}, options: string[] = []) {
  const child = start(verb, given, options)
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { said: out + err, code }
}

const deployer = () => ({ DEPLOYER_PRIVATE_KEY: keys['deployer']! })
const holding = (...names: string[]) => ({ HOLDER_PRIVATE_KEYS: names.map((name) => keys[name]).join(',') })
/** The registry, the lens, six guards, the executor and the RecoveryExecutor. */
const contractCount = 10
/** Also, two modules are scheduled and installed, a cap is lowered, and three roles are handed over. */
const stepCount = contractCount + 8

/** The state of the chains as JSON. */
async function standings(...options: string[]) {
  const { said, code } = await contracts('status', {}, ['--json', ...options])
  return { code, chains: (JSON.parse(said) as { chains: (ChainStatus & { trouble: string | null })[] }).chains }
}
const pendingOnBase = async () => (await standings('--chain', 'base')).chains[0]!.pending!

test('a file that gives an address two powers, or a chain no cap, is refused in a sentence', () => {
  const read = (changed: object) => () => readDeploymentFile(JSON.stringify({ ...file(), ...changed }))
  expect(read({})).not.toThrow()
  expect(read({ signers: [addressOf('admin')] })).toThrow('Each address may have only one power')
  expect(read({ caps: { base: { native: '1' } } })).toThrow('exactly these chains')
  expect(read({ maxNativeFeeWei: 1 })).toThrow('maxNativeFeeWei')
  expect(read({ relayer: [] })).toThrow('relayer')
  expect(read({ network: 'mainnet' })).not.toThrow()
  expect(read({ network: 'testnet' })).toThrow('The deployment file is for the testnet, but NETWORK is mainnet.')
  for (const limit of ['-1', '1.5', `${2n ** 112n}`, ''])
    expect(read({ caps: { ...file().caps, base: { native: limit } } })).toThrow(
      'The cap of base: native must be an amount',
    )
  expect(read({ collectors: ['0x00000000000000000000000000000000000000Aa'] })).toThrow('a valid checksum')
})

test('the plan shows every step and its cost, and sends nothing', async () => {
  const { said, code } = await contracts('plan')
  expect(code).toBe(0)
  expect(said.match(/→ deploy AccountRegistry/g)).toHaveLength(5)
  expect(
    said.match(/the deployer needs about \S+ \w+ and the holders \S+ \w+, as simulated by its node/g),
  ).toHaveLength(5)
  expect(said).toContain(
    `ROUTE_EXECUTOR_ADDRESS=${productContracts(readDeploymentFile(JSON.stringify(file())).settings).executor.address}`,
  )
  expect(await onAll('eth_getTransactionCount', addressOf('deployer'), 'latest')).toEqual(chainKeys.map(() => '0x0'))
})

test('the plan reports a step that would fail, and does not trust a node that cannot simulate', async () => {
  const { rpc } = anvils.base
  const code = await rpc.ask('eth_getCode' as never, ...([deploymentProxy, 'latest'] as never[]))
  await rpc.ask('anvil_setCode', deploymentProxy, '0x5f5ffd')
  const failing = await contracts('plan', {}, ['--chain', 'base'])
  await rpc.ask('anvil_setCode', deploymentProxy, code as `0x${string}`)
  expect([failing.code, failing.said.match(/✗ deploy AccountRegistry: it would fail/g)?.length]).toEqual([1, 1])
  const node = jsonRpcNode(
    ({ method }) => (method === 'eth_simulateV1' ? { error: { code: -32601, message: 'no such method' } } : undefined),
    { behind: urlOf('base') },
  )
  const sized = await contracts('plan', { RPC_URL_BASE: node.url }, ['--chain', 'base'])
  await node.stop()
  expect([sized.code, sized.said.includes('estimated by size: its node cannot simulate')]).toEqual([0, true])
})

test('a permanently named contract that is missing on the chain is reported, and nothing is deployed', async () => {
  const { rpc } = anvils.base
  const mistyped = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02914'
  const wrong: [string, string, string][] = [
    [lifiDiamond, '0x', `LI.FI’s contract ${lifiDiamond} has no code on Base.`],
    [relayDepository, '0x', `Relay’s contract ${relayDepository} has no code on Base.`],
    [tokenMessenger, '0x', `Circle’s contract ${tokenMessenger} has no code on Base.`],
    [usdc, '0x', `The token ${usdc} in the caps has no code on Base.`],
    [usdc, '0x5f5ffd', `${usdc} in the caps is not a token on Base: it returns no decimals.`],
  ]
  const unnamed: string[] = []
  for (const [address, code, sentence] of sample('missing contracts', wrong, 2)) {
    const before = await rpc.ask('eth_getCode' as never, ...([address, 'latest'] as never[]))
    await rpc.ask('anvil_setCode', address as `0x${string}`, code as `0x${string}`)
    const planned = await contracts('plan', {}, ['--chain', 'base'])
    await rpc.ask('anvil_setCode', address as `0x${string}`, before as `0x${string}`)
    if (planned.code !== 1 || !planned.said.includes(`  ✗ ${sentence}`)) unnamed.push(sentence)
  }
  expect(unnamed).toEqual([])

  const { base, ...others } = file().caps
  const lower = join(dir, 'lower.json')
  writeFileSync(lower, JSON.stringify({ ...file(), caps: { base: { ...base, [mistyped]: '1' }, ...others } }))
  const deployed = await contracts('deploy', deployer(), ['--file', lower, '--chain', 'base'])
  expect([deployed.code, deployed.said]).toMatchObject([1, expect.stringContaining('nothing more was sent')])
  expect(await rpc.ask('eth_getTransactionCount', addressOf('deployer'), 'latest')).toBe('0x0')
})

test('the status shows the first step of an empty chain, and only the outage of an unreachable one', async () => {
  const { said, code } = await contracts('status', { RPC_URL_POLYGON: 'http://127.0.0.1:1' })
  const deployed = [...said.matchAll(/0 of (\d+) contracts are deployed/g)].map(([, count]) => Number(count))
  expect(deployed).toEqual(Array(4).fill(contractCount))
  // If the cap is the highest of all chains, it is not lowered.
  const steps = [...said.matchAll(/→ (\d+) steps to come; next, deploy AccountRegistry/g)].map(([, count]) =>
    Number(count),
  )
  expect(steps.map((count) => stepCount - count)).toEqual([0, 1, 1, 0])
  expect(said).toContain('Polygon: it cannot be read')
  expect(code).toBe(1)
  const [base] = (await standings('--chain', 'base')).chains
  expect(base).toMatchObject({ chainId: 8453, roles: [], isPaused: null, pending: [], differs: [], trouble: null })
  expect(base!.steps).toHaveLength(stepCount)
})

test('the plan prints the planned holders of each power instead of the deployed ones', async () => {
  const [relayer, signer, collector] = ['11', '22', '33'].map((end) => `0x${'0'.repeat(38)}${end}`)
  const settings = { relayers: [relayer], signers: [signer], collectors: [collector] }
  const changed = join(dir, 'changed.json')
  writeFileSync(changed, JSON.stringify({ ...file(), settings }))
  const { said } = await contracts('plan', {}, ['--file', changed, '--chain', 'base'])
  for (const [name, address] of [
    ['RELAYER_ADDRESSES', relayer],
    ['SIGNER_ADDRESSES', signer],
    ['FEE_COLLECTOR_ADDRESS', collector],
  ])
    expect(said).toContain(`\n${name}=${address}\n`.trimEnd())
})

test('a chain without the deployment proxy is reported, and nothing is sent there', async () => {
  const { rpc } = anvils.base
  const code = await rpc.ask('eth_getCode' as never, ...([deploymentProxy, 'latest'] as never[]))
  await rpc.ask('anvil_setCode', deploymentProxy, '0x')
  const { said } = await contracts('deploy', deployer(), ['--chain', 'base'])
  expect(said).toContain('Base: stopped here (There is no deployment proxy at 0x4e59')
  await rpc.ask('anvil_setCode', deploymentProxy, code as `0x${string}`)
})

test('a missing balance or confirmation is reported in words', async () => {
  await anvils.base.rpc.ask('anvil_setBalance', addressOf('deployer'), '0x1')
  const poor = await contracts('deploy', deployer(), ['--chain', 'base'])
  expect(poor.said).toContain(`${addressOf('deployer')} has 0.000000000000000001 coin on this chain and needs about`)
  await anvils.base.rpc.ask('anvil_setBalance', addressOf('deployer'), toHex(100n * ether))
  const keyless = await contracts('deploy', {}, ['--chain', 'base'])
  expect(keyless.said).toContain('Base: set DEPLOYER_PRIVATE_KEY, which pays to deploy AccountRegistry.')
  const early = await contracts('handover', { ...deployer(), ...holding('admin', 'guardian') }, ['--chain', 'base'])
  expect(early.said).toContain('the handover comes last, and this step is missing: deploy AccountRegistry')
  expect([poor.code, keyless.code, early.code]).toEqual([1, 1, 1])
})

/** Runs a command until it sends its n-th transaction, and kills it there: before the node has it, or just after. */
async function killed(verb: string, given: Record<string, string>, killAt: number, isSent: boolean): Promise<void> {
  let sent = 0
  let child: ReturnType<typeof start> | null = null
  const inFront = chainKeys.map((key) => {
    const node = jsonRpcNode(
      async (call) => {
        if (call.method !== 'eth_sendRawTransaction') return
        if (++sent < killAt) return
        if (sent === killAt && isSent)
          await anvils[key].rpc.ask('eth_sendRawTransaction' as never, call.params[0] as never)
        child?.kill('SIGKILL')
        return null
      },
      { behind: urlOf(key) },
    )
    return { name: `RPC_URL_${key.toUpperCase()}`, node }
  })
  child = start(verb, { ...given, ...Object.fromEntries(inFront.map(({ name, node }) => [name, node.url])) })
  expect(await child.exited).not.toBe(0)
  expect(sent).toBeGreaterThanOrEqual(killAt)
  await Promise.all(inFront.map(({ node }) => node.stop()))
}

/** Additional kills at steps that are tested elsewhere. */
const killedAtNight: typeof killed = async (...given) => {
  if (isNightly) await killed(...given)
}

test('a deployment killed around many transactions continues from the chains and sends nothing twice', async () => {
  const kills = [
    [1, false],
    [3, true],
    [6, false],
    [9, true],
    [7, true],
  ] as const
  for (const [killAt, isSent] of sample('kills of a deployment', kills, 2))
    await killed('deploy', deployer(), killAt, isSent)
  const { said, code } = await contracts('deploy', deployer())
  expect(code).toBe(1) // the admin's steps are for others
  expect(said.match(/another holder has to schedule the executor as a module/g)).toHaveLength(5)
  expect(said).toContain(`from ${addressOf('admin')}`)
  expect(await onAll('eth_getTransactionCount', addressOf('deployer'), 'latest')).toEqual(
    chainKeys.map(() => toHex(contractCount)),
  )
})

test('the executor is installed after three days, caps are lowered, and only the holders differ before the handover', async () => {
  await killedAtNight('deploy', holding('admin'), 1, false)
  await killedAtNight('deploy', holding('admin'), 7, true)
  const scheduled = await contracts('deploy', { ...deployer(), ...holding('admin') })
  expect(scheduled.said.match(/install the executor is possible from/g)).toHaveLength(5)
  const waiting = await standings()
  expect(waiting.chains.map(({ pending }) => pending!.map(({ what, by }) => [what, by]))).toEqual(
    Array(5).fill([
      ['the executor as a module', [addressOf('admin')]],
      ['the RecoveryExecutor as a module', [addressOf('admin')]],
    ]),
  )
  const [module] = waiting.chains[0]!.pending!
  expect(module!.readyAt! - waiting.chains[0]!.at).toBeGreaterThan(3 * 86_400 - 600)
  expect(module!.until - module!.readyAt!).toBe(14 * 86_400)
  expect(waiting.chains[0]!.steps[0]).toMatchObject({
    name: 'install the executor',
    status: 'WAITS',
    readyAt: module!.readyAt,
  })
  await onAll('evm_increaseTime', 3 * 86_400 + 60)
  await onAll('evm_mine')
  await killed('deploy', holding('admin'), 3, true)
  await killedAtNight('deploy', holding('admin'), 6, false)
  const installed = await contracts('deploy', holding('admin'))
  expect(installed.said.match(/everything but the handover is done/g)).toHaveLength(5)
  expect(installed.code).toBe(0)
  const { said, code } = await contracts('verify')
  expect([code, said.match(/✗/g)?.length, said.match(/✗ The (admin|guardian|recovery) is/g)?.length]).toEqual([
    1, 15, 15,
  ])
})

test('no role goes to a multisig missing on a chain, or to a delegated key', async () => {
  const setCode = (key: ChainKey, name: string, code: `0x${string}`) =>
    anvils[key].rpc.ask('anvil_setCode', addressOf(name), code)
  await setCode('base', 'liveAdmin', `0x${'5b'.repeat(40)}`)
  await setCode('polygon', 'liveRecovery', `0xef0100${'11'.repeat(20)}`)
  const refused = await contracts('handover', holding('admin', 'guardian'))
  const objections = [
    ...chainKeys
      .filter((key) => key !== 'base')
      .map((key) => `The live admin ${addressOf('liveAdmin')} has code on Base and none on ${chains[key].name}`),
    `The live recovery ${addressOf('liveRecovery')} is a key with delegated code (EIP-7702) on`,
  ]
  for (const objection of objections) expect(refused.said).toContain(objection)
  expect([refused.code, refused.said.includes('Nothing was handed over.')]).toEqual([1, true])
  const { said } = await contracts('verify')
  expect([said.match(/and none on/g)?.length, said.match(/EIP-7702/g)?.length]).toEqual([4, 1])
  await setCode('polygon', 'relayer', `0xef0100${'11'.repeat(20)}`)
  const plan = await contracts('plan')
  expect(plan.said).toContain(`The relayer ${addressOf('relayer')} is a key with delegated code`)
  expect([plan.code, plan.said.match(/The relayer/g)?.length]).toEqual([1, 1])
  await setCode('base', 'liveAdmin', '0x')
  await setCode('polygon', 'liveRecovery', '0x')
  await setCode('polygon', 'relayer', '0x')
})

test('the roles go to the live holders by two votes each, and then every chain matches the file', async () => {
  await killed('handover', holding('admin', 'guardian'), 2, true)
  await killedAtNight('handover', holding('admin', 'guardian'), 6, false)
  const first = await contracts('handover', holding('admin', 'guardian'))
  expect(first.said.match(/another holder has to replace the guardian, by the votes of two holders/g)).toHaveLength(5)
  expect(first.said).toContain(`from ${addressOf('liveRecovery')}`)
  expect(await pendingOnBase()).toMatchObject([
    {
      what: `${addressOf('liveGuardian')} as the guardian, with a vote by ${addressOf('admin')}`,
      by: [addressOf('liveRecovery')],
      readyAt: null,
    },
  ])
  expect((await contracts('handover', holding('admin', 'liveRecovery'))).code).toBe(1)
  await killed('handover', holding('liveGuardian', 'liveRecovery'), 4, true)
  expect((await contracts('handover', holding('liveGuardian', 'liveRecovery'))).code).toBe(0)
  const { said, code } = await contracts('verify')
  expect([code, said.match(/✓ .* matches the file/g)?.length]).toEqual([0, 5])
  const done = await standings()
  expect(done.code).toBe(0)
  for (const { roles, modules, steps, pending, differs, settings, isPaused } of done.chains) {
    expect(roles.map(({ is }) => is)).toEqual(['LIVE', 'LIVE', 'LIVE'])
    expect(modules.every(({ isInstalled }) => isInstalled)).toBe(true)
    expect([steps, pending, differs, isPaused]).toEqual([[], [], [], false])
    expect(settings.filter(({ next }) => next)).toEqual([])
  }
})

test('a deviating chain is reported: an unlisted relayer, a lowered cap', async () => {
  const { settings } = readDeploymentFile(JSON.stringify(file()))
  const { executor } = productContracts(settings)
  const other = join(dir, 'other.json')
  writeFileSync(
    other,
    JSON.stringify({ ...file(), caps: { ...file().caps, base: { native: `${6n * ether}`, [usdc]: '50000000000' } } }),
  )
  const child = Bun.spawn(
    [process.execPath, 'src/cli/main.ts', 'contracts', 'verify', '--file', other, '--chain', 'base'],
    {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdout: 'pipe',
    },
  )
  expect(await new Response(child.stdout).text()).toContain(
    'The cap of 0x0000000000000000000000000000000000000000 is 5000000000000000000 instead of 6000000000000000000 on Base.',
  )
  expect(await child.exited).toBe(1)
  expect(executor.address).toMatch(/^0x/)
})

test('a power missing in the file is reported until it is taken away', async () => {
  const { executor } = productContracts(readDeploymentFile(JSON.stringify(file())).settings)
  const [who, token] = [
    '0x00000000000000000000000000000000000000b1',
    '0x00000000000000000000000000000000000000c1',
  ] as const
  const { rpc } = anvils.base
  const send = async (from: string, to: string, functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi: routeExecutorAbi, functionName, args } as never)
    await rpc.ask('anvil_impersonateAccount', addressOf(from) as never)
    const hash = await rpc.ask('eth_sendTransaction', { from: addressOf(from), to, data, gas: toHex(900_000) } as never)
    await rpc.ask('anvil_stopImpersonatingAccount', addressOf(from) as never)
    await rpc.ask('evm_mine' as never) // the receipt exists one block later
    const receipt = (await rpc.ask('eth_getTransactionReceipt', hash as never)) as { status: string }
    expect([functionName, receipt.status]).toEqual([functionName, '0x1'])
  }
  const widened = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: routeExecutorAbi, functionName, args } as never)
  const calls = [widened('addRelayer', [who]), widened('setCap', [token, 7n])]
  for (const call of calls) await send('liveAdmin', executor.address, 'schedule', [call])
  const begun = await pendingOnBase()
  expect(begun.map(({ what }) => what.toLowerCase())).toEqual([`addrelayer(${who})`, `setcap(${token}, 7)`])
  expect(begun.every(({ readyAt, until }) => until - readyAt! === 14 * 86_400)).toBe(true)
  await rpc.ask('evm_increaseTime' as never, (2 * 86_400 + 60) as never)
  await rpc.ask('evm_mine' as never)
  for (const call of calls) await send('liveAdmin', executor.address, 'applyChange', [call])
  const verified = async () => (await contracts('verify', {}, ['--chain', 'base'])).said
  const said = await verified()
  expect(said.toLowerCase()).toContain(`✗ ${who} is a relayer on base, but the file does not list it`)
  expect(said.toLowerCase()).toContain(`✗ ${token} has a cap of 7 on base, but the file names none`)
  expect(said.match(/✗/g)).toHaveLength(2)
  const stands = await contracts('status', {}, ['--chain', 'base'])
  expect(stands.said.match(/✗.*/g)).toEqual(said.match(/✗.*/g))
  expect([stands.code, stands.said.includes('✓')]).toEqual([1, false])
  await send('liveGuardian', executor.address, 'stop', [1, `0x${who.slice(2).padStart(64, '0')}`])
  await send('liveGuardian', executor.address, 'lowerCap', [token, 0n])
  expect(await verified()).toContain('✓ Base matches the file.')
})

test('a node without events prevents a report that the chain matches the file', async () => {
  const answers = [
    { message: 'query returned more than 10000 results', words: 'does not show all events' },
    { message: 'Too many requests', words: 'cannot be read' },
  ]
  for (const { message, words } of sample('refusals of events', answers, 1)) {
    const node = jsonRpcNode(
      ({ method }) => (method === 'eth_getLogs' ? { error: { code: -32005, message } } : undefined),
      { behind: urlOf('base') },
    )
    for (const verb of ['verify', 'status']) {
      const { said, code } = await contracts(verb, { RPC_URL_BASE: node.url }, ['--chain', 'base'])
      expect([verb, message, code, said.includes(words), said.includes('✓')]).toEqual([verb, message, 1, true, false])
    }
    await node.stop()
  }
})

nightly(
  'settings are shown along with the file, and changed by their holders: narrowed immediately, widened two days later',
  async () => {
    const added = privateKeyToAccount(generatePrivateKey()).address
    const changed = {
      ...file(),
      settings: {
        relayers: [added],
        chains: {
          base: { maxNativeFeeWei: '20000000000000000', caps: { native: `${8n * ether}`, [usdc]: '40000000000' } },
        },
      },
    }
    const settings = async (names: string[], ...options: string[]) => {
      writeFileSync(path, JSON.stringify(changed))
      return contracts('settings', names.length > 0 ? holding(...names) : {}, ['--chain', 'base', ...options])
    }
    const shown = await settings([])
    expect(shown.code).toBe(1)
    expect(shown.said).toContain(`the cap of the native coin: ${5n * ether}, to become ${8n * ether}: next, schedule`)
    expect(shown.said).toContain(`the cap of ${usdc}: 50000000000, to become 40000000000: next, lower`)
    expect(shown.said).toContain(`the relayer ${added}: to be listed: next, schedule`)
    expect(shown.said).toContain(`the relayer ${addressOf('relayer')}: to be ended: next, end`)
    expect(shown.said).toContain(`✓ the signer ${addressOf('signer')}: listed`)

    const keyless = await settings([], '--change')
    expect(keyless.said).toContain(`from ${addressOf('liveGuardian')} or ${addressOf('liveAdmin')}`)
    const guardian = await settings(['liveGuardian'], '--change')
    expect(guardian.said).toContain(`lower the cap of ${usdc}, 0x`)
    expect(guardian.said).toContain(`another holder has to schedule the largest native fee`)
    await settings(['liveAdmin'], '--change')
    const early = await settings(['liveAdmin'], '--change')
    expect(early.said.match(/it can be applied from/g)).toHaveLength(3)
    await onAll('evm_increaseTime', 2 * 86_400 + 60)
    await onAll('evm_mine')
    await settings(['liveAdmin'], '--change')
    const done = await settings([])
    expect([done.code, done.said.includes('→')]).toEqual([0, false])
    expect((await contracts('verify', {}, ['--chain', 'base'])).said).toContain('✓ Base matches the file.')
    expect((await contracts('plan', {}, ['--chain', 'base'])).said).toContain('✓ lower the cap of the native coin')
  },
)

nightly('a scheduled change that was stopped or lapsed is scheduled again', async () => {
  const raised = (native: bigint) => {
    writeFileSync(
      path,
      JSON.stringify({ ...file(), settings: { chains: { ethereum: { caps: { native: `${native}` } } } } }),
    )
    return contracts('settings', holding('liveAdmin', 'liveGuardian'), ['--chain', 'ethereum', '--change'])
  }
  expect((await raised(30n * ether)).said).toContain('schedule the cap of the native coin, 0x')
  // Lowering the cap cancels its scheduled changes.
  const ofCap = async () => (await standings('--chain', 'ethereum')).chains[0]!.pending!.map(({ what }) => what)
  expect(await ofCap()).toEqual([`setCap(the native coin, ${30n * ether})`])
  expect((await raised(19n * ether)).said).toContain('lower the cap of the native coin, 0x')
  expect(await ofCap()).toEqual([])
  await onAll('evm_increaseTime', 3 * 86_400)
  await onAll('evm_mine')
  expect((await raised(30n * ether)).said).toContain('schedule the cap of the native coin, 0x')
  await onAll('evm_increaseTime', 17 * 86_400)
  await onAll('evm_mine')
  expect((await raised(30n * ether)).said).toContain('schedule the cap of the native coin, 0x')
})

nightly('the admin ends a pause two days after the request', async () => {
  const paused = async () => (await contracts('settings', {}, ['--chain', 'polygon', '--unpause'])).said
  expect(await paused()).not.toContain('the pause')
  const { executor } = productContracts(readDeploymentFile(JSON.stringify(file())).settings)
  const { rpc } = anvils.polygon
  await rpc.ask('anvil_impersonateAccount', addressOf('liveGuardian'))
  const data = encodeFunctionData({ abi: routeExecutorAbi, functionName: 'stop', args: [0, toHex(0, { size: 32 })] })
  await rpc.ask('eth_sendTransaction', { from: addressOf('liveGuardian'), to: executor.address, data })
  expect(await paused()).toContain('the pause: to be ended: next, schedule the end of the pause')
  expect((await contracts('status', {}, ['--chain', 'polygon'])).said).toContain('and it is PAUSED')
  // A stop also cancels changes scheduled in the same second.
  await onAll('evm_increaseTime', 2)
  await onAll('evm_mine')
  const change = () => contracts('settings', holding('liveAdmin'), ['--chain', 'polygon', '--unpause', '--change'])
  await change()
  await onAll('evm_increaseTime', 2 * 86_400 + 60)
  await onAll('evm_mine')
  expect((await change()).said).toContain('apply the end of the pause, 0x')
  expect(await paused()).not.toContain('the pause')
})

test('settings that give an address two powers, or name an unknown chain, are refused in a sentence', () => {
  const read = (settings: object) => () => readDeploymentFile(JSON.stringify({ ...file(), settings }))
  expect(read({ relayers: [addressOf('signer')] })).toThrow('Each address may have only one power')
  expect(read({ retired: [addressOf('relayer')] })).toThrow('is retired but also listed with a power')
  expect(read({ chains: { solana: {} } })).toThrow('"settings" names the unknown chain "solana".')
  expect(read({ chains: { base: { caps: { native: '1.5' } } } })).toThrow('The cap of base: native must be an amount')
})

nightly(
  'two holders, the guardian included, release coin once after three days, and the guardian can cancel a release',
  async () => {
    const { registry } = productContracts(readDeploymentFile(JSON.stringify(file())).settings)
    const accountSalt = `0x${'5a17'.repeat(16)}` as const
    const implementation = implementationAddressOf(registry.address)
    const account = accountAddressOf({ registry: registry.address, implementation, accountSalt })
    const to = privateKeyToAccount(generatePrivateKey()).address
    const recoveryPath = join(dir, 'recovery.json')
    const words = {
      chain: 'base',
      account,
      accountSalt,
      asset: zeroAddress,
      amount: `${ether}`,
      to,
      deposit: 'ticket 7',
    }
    const write = (change: object = {}) => writeFileSync(recoveryPath, JSON.stringify({ ...words, ...change }))
    const recover = (options: string[] = [], ...names: string[]) =>
      contracts('recover', { HOLDER_PRIVATE_KEYS: names.map((name) => keys[name]!).join(',') }, [
        recoveryPath,
        ...options,
      ])
    const { rpc } = anvils.base
    await rpc.ask('anvil_setBalance', account, toHex(ether))

    write({ account: to })
    expect(await recover()).toMatchObject({ code: 1, said: expect.stringContaining(`The salt belongs to ${account}`) })
    write({ amount: '0' })
    expect((await recover()).said).toContain('"amount" must be more than zero')
    write()
    expect((await recover(['--carry-out'], 'liveAdmin')).said).toContain('Two holders must approve it first.')
    const asked = await recover(['--approve'])
    expect(asked.code).toBe(1)
    expect(asked.said).toMatch(/another holder has to approve the recovery:\n {2}from 0x\S+ or 0x\S+ or 0x/)

    expect((await recover(['--approve'], 'liveAdmin')).code).toBe(0)
    expect((await recover(['--veto'], 'liveGuardian')).said).toContain('there is nothing to veto')
    expect((await recover(['--approve'], 'liveAdmin', 'liveRecovery')).code).toBe(0)
    expect((await recover()).said).toContain('The guardian must be one of the approving holders.')
    expect(await pendingOnBase()).toMatchObject([
      { what: expect.stringContaining(`${ether} of the native coin to ${to}`) },
    ])
    expect((await recover(['--approve'], 'liveGuardian')).code).toBe(0)
    expect((await recover(['--approve'], 'liveGuardian')).said).toContain('All three have approved.')
    expect((await recover(['--carry-out'], 'liveRecovery')).said).toMatch(/It can be carried out from .* UTC/)
    await rpc.askAll([['evm_increaseTime', 3 * 86_400 + 1], ['evm_mine']] as never)
    expect((await recover(['--carry-out'], 'liveRecovery')).code).toBe(0)
    expect(BigInt(await rpc.ask<string>('eth_getBalance', to, 'latest'))).toBe(ether)
    expect(await recover(['--carry-out'], 'liveAdmin')).toMatchObject({
      code: 1,
      said: expect.stringContaining('It was already carried out.'),
    })

    write({ deposit: 'ticket 8' })
    for (const name of ['liveAdmin', 'liveRecovery']) expect((await recover(['--approve'], name)).code).toBe(0)
    expect((await recover(['--veto'], 'liveGuardian')).code).toBe(0)
    expect((await recover()).said).toContain('Two holders must approve it first.')
  },
)
