import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encodeAbiParameters, type Hex, keccak256, toHex } from 'viem'
import { readDeployment } from '../../src/adapters/evm/deployment'
import { nodes } from '../../src/adapters/evm/rpc/nodes'
import { shippedCode } from '../../src/adapters/evm/shipped-code'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { accounts } from '../../src/devnet/chains/accounts'
import { freePort } from '../../src/devnet/servers/free-port'
import { implementationAddressOf } from '../../src/domain/chain/account'
import { type Deployment, type DeploymentQuery, findingsOf, isPublished } from '../../src/domain/chain/deployment'
import type { Address } from '../../src/domain/chain/hex'
import { draftAccount } from '../../src/protocols/executor/signed-order'
import { oneChain } from '../support/one-chain'
import { mongoUrl, natsUrl } from '../support/servers'
import { serviceVariables } from '../support/service-variables'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

let world: Awaited<ReturnType<typeof oneChain>>
beforeAll(async () => {
  world = await oneChain()
})
afterAll(() => world?.chain.stop())

const askedOf = ({ variables, rules }: typeof world): DeploymentQuery => ({
  registry: variables['ACCOUNT_REGISTRY_ADDRESS'] as Address,
  implementation: implementationAddressOf(variables['ACCOUNT_REGISTRY_ADDRESS'] as Address),
  executor: variables['ROUTE_EXECUTOR_ADDRESS'] as Address,
  recoveryExecutor: variables['RECOVERY_EXECUTOR_ADDRESS'] as Address,
  lens: variables['BALANCE_LENS_ADDRESS'] as Address,
  collector: accounts.collector.address,
  signers: [accounts.routeSigner.address],
  relayers: accounts.relayers.map(({ address }) => address),
  worthless: draftAccount.address,
  rules,
  tokens: ['0x0000000000000000000000000000000000000000'],
})

const read = (url = world.url): Promise<Deployment> =>
  readDeployment(
    nodes({ chainId: 8453, rpcUrls: [url], timeoutMs: 600_000, isAnswer: () => false, telemetry: noTelemetry }),
  )(askedOf(world))

async function found(seen?: Deployment): Promise<string[]> {
  const asked = askedOf(world)
  const names = ['AccountRegistry', 'ModularAccount', 'RouteExecutor', 'RecoveryExecutor', 'BalanceLens']
  const shipped = await shippedCode([...new Set([...names, ...asked.rules.map(({ guard }) => guard)])])
  return findingsOf('Base', seen ?? (await read()), asked, shipped).map(
    ({ weight, sentence }) => `${weight} ${sentence}`,
  )
}

const setCode = (address: string, code: Hex) => world.chain.rpc.ask('anvil_setCode', address, code)
const yes = toHex(1n, { size: 32 })
const setFlag = (slot: bigint, who: Address, value: Hex) =>
  world.chain.rpc.ask(
    'anvil_setStorageAt',
    askedOf(world).executor,
    keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [who, slot])),
    value,
  )

/** Changes the chain, runs the check, and reverts the chain. */
async function while_(change: () => Promise<unknown>): Promise<string[]> {
  const snapshot = await world.chain.rpc.ask('evm_snapshot')
  try {
    await change()
    return await found()
  } finally {
    await world.chain.rpc.ask('evm_revert', snapshot)
  }
}

describe('on a real chain', () => {
  test('contracts deployed from the shipped artifacts pass, including their immutables', async () => {
    expect(await found()).toEqual([])
    const { caps, holders, maxNativeFeeWei, node } = await read()
    expect([caps[0]!.limitRaw, holders.length, maxNativeFeeWei]).toEqual([2n ** 112n - 1n, 3, 10n ** 18n])
    expect(node).toStartWith('anvil/')
  })

  testAll([
    ['registry', 'ACCOUNT_REGISTRY_ADDRESS'],
    ['implementation', 'The account behind ACCOUNT_REGISTRY_ADDRESS'],
    ['executor', 'ROUTE_EXECUTOR_ADDRESS'],
  ] as const)('a contract with different or no code is WRONG and named', async (what, name) => {
    const address = askedOf(world)[what]
    expect((await while_(() => setCode(address, '0x')))[0]).toBe(`WRONG ${name} has no code on Base.`)
    const { code } = await read()
    const altered = `${code[what].slice(0, -2)}${code[what].endsWith('00') ? '01' : '00'}` as Hex
    expect((await while_(() => setCode(address, altered)))[0]).toMatch(new RegExp(`^WRONG ${name} is not the `))
  })

  test('unlisted keys, a paused executor and an altered guard are each reported', async () => {
    const [relayer] = accounts.relayers
    const no = toHex(0n, { size: 32 })
    expect(await while_(() => setFlag(0n, relayer!.address, no))).toEqual([
      `UNFIT The relayer ${relayer!.address} is not listed by the executor on Base.`,
    ])
    expect(await while_(() => setFlag(1n, accounts.routeSigner.address, no))).toEqual([
      'UNFIT The address of ROUTE_SIGNER_PRIVATE_KEY is not a signer of the executor on Base.',
    ])
    expect(await while_(() => setFlag(2n, accounts.collector.address, no))).toEqual([
      'UNFIT FEE_COLLECTOR_ADDRESS is not a collector of the executor on Base.',
    ])
    expect((await while_(() => setFlag(1n, draftAccount.address, yes)))[0]).toStartWith(
      'UNFIT ROUTE_EXECUTOR_ADDRESS lists',
    )
    const guard = world.guards.LifiAcrossGuard.address
    expect(await while_(() => setCode(guard, '0x60016000526001601ff3'))).toEqual([
      'UNFIT LifiAcrossGuard is not the shipped contract on Base.',
    ])
  })
})

test('a RecoveryExecutor that is altered, for another executor or not a module is UNFIT, and having none is fine', async () => {
  const seen = await read()
  const { recoveryExecutor } = seen
  const said = async (changed: Deployment['recoveryExecutor']) =>
    (await found({ ...seen, recoveryExecutor: changed })).join()
  expect(await said(recoveryExecutor)).toBe('')
  expect(await said(null)).toBe('')
  const prefix = 'UNFIT RECOVERY_EXECUTOR_ADDRESS'
  expect(await said({ ...recoveryExecutor!, code: '0x' })).toBe(
    `${prefix} is not the shipped RecoveryExecutor on Base.`,
  )
  expect(await said({ ...recoveryExecutor!, executor: accounts.admin.address })).toBe(
    `${prefix} serves another ROUTE_EXECUTOR_ADDRESS on Base.`,
  )
  expect(await said({ ...recoveryExecutor!, isModule: false })).toBe(
    `${prefix} is not a module of ACCOUNT_REGISTRY_ADDRESS on Base.`,
  )
})

test('published keys are WRONG on a chain that is not a development chain', async () => {
  const seen = await read()
  for (const node of ['Geth/v1.16.0', 'reth/v1.2', 'bor/v2 (anvil/ compatible)', ''])
    expect((await found({ ...seen, node })).join()).toContain('WRONG Published keys are in use')
})

test('every key shipped with this service or with a development node counts as published', () => {
  const own = [...Object.values(accounts).flat()].map(({ address }) => address)
  expect(own.filter((address) => !isPublished(address))).toEqual([])
  expect(isPublished('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')).toBe(true)
  expect(isPublished(draftAccount.address)).toBe(false)
})

/** Starts the production program on one chain. The other chains are unreachable. */
async function started(env: Record<string, string>) {
  const port = await freePort()
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    env: {
      ...process.env,
      ...serviceVariables,
      ...world.variables,
      PORT: `${port}`,
      LOG_LEVEL: 'info',
      SHUTDOWN_DELAY_MS: '0',
      ...env,
      MONGODB_URL: await mongoUrl(),
      NATS_URL: await natsUrl(),
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  return { child, url: `http://127.0.0.1:${port}` }
}

test('a start with a wrong registry ends with one sentence that names the variable and the chain, without a stack trace', async () => {
  const { child } = await started({ ACCOUNT_REGISTRY_ADDRESS: `0x${'9'.repeat(40)}` })
  const said = await new Response(child.stderr).text()
  expect(await child.exited).toBe(1)
  expect(said).toContain('The start is refused: ACCOUNT_REGISTRY_ADDRESS has no code on Base.')
  expect(said).not.toMatch(/ at .*\.ts:/)
})

test('the service starts with one verified chain, is ready only for it, and polls unreachable chains until they respond', async () => {
  const { child, url } = await started({ ROLES: 'api' })
  type Ready = { checks: Record<string, string> }
  const checks = async (): Promise<Ready['checks'] | null> =>
    fetch(`${url}/ready`).then(
      async (answer) => ((await answer.json()) as Ready).checks,
      () => null,
    )
  const seen = await until('Base is verified', async (note) => {
    const answered = await checks()
    note(answered)
    return answered?.['base'] === 'ok' && answered
  })
  expect([seen['base'], seen['polygon']]).toEqual(['ok', 'down'])
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})
