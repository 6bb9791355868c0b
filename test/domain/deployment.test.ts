import { expect, test } from 'bun:test'
import { mnemonicToAccount } from 'viem/accounts'
import { implementationAddressOf } from '../../src/domain/chain/account'
import {
  type Deployment,
  type DeploymentQuery,
  findingsOf,
  isCodeOf,
  isPublished,
} from '../../src/domain/chain/deployment'
import { type Hex, zeroAddress } from '../../src/domain/chain/hex'
import { addressOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const slot = '0'.repeat(64)

test('the words that the shipped code leaves open may have any value, but nothing else may differ', () => {
  const shipped: Hex = `0x60017f${slot}5b7F${slot.toUpperCase()}7f${slot}`.replace('7F', '7f') as Hex
  const filled: Hex = `0x60017f${'AB'.repeat(32)}5b7f${'cd'.repeat(32)}7f${'ef'.repeat(32)}`
  expect([isCodeOf(shipped, filled), isCodeOf(shipped, shipped)]).toEqual([true, true])
  const others = [filled.replace('6001', '6002'), filled.replace('5b', '5c'), `${filled}00`, '0x'] as Hex[]
  for (const other of others) expect(isCodeOf(shipped, other)).toBe(false)
  // A push instruction begins at a whole byte.
  expect(isCodeOf(`0x07f${slot}0`, `0x07f${'ab'.repeat(32)}0`)).toBe(false)
  expect(isCodeOf('0xABcd', '0xabCD')).toBe(true)
})

test('the accounts that every development node funds count as published, in any spelling', () => {
  const mnemonic = 'test test test test test test test test test test test junk'
  const all = Array.from({ length: 20 }, (_, n) => mnemonicToAccount(mnemonic, { addressIndex: n }).address)
  for (const address of all) expect([address, isPublished(address)]).toEqual([address, true])
  expect(isPublished(all[0]!.toLowerCase() as Hex)).toBe(true)
  expect(isPublished(addressOf(1))).toBe(false)
})

const codes = ['AccountRegistry', 'ModularAccount', 'RouteExecutor', 'RecoveryExecutor', 'BalanceLens', 'Guard']
const shipped = Object.fromEntries(codes.map((name, n) => [name, `0x0${n + 1}` as Hex]))
const code = (name: string) => shipped[name]!
const [registry, executor, collector] = [addressOf(0xa), addressOf(0xb), addressOf(0xc)]
const rule = { target: addressOf(0xd), selector: '0x12345678', guard: 'Guard' } as const
const query: DeploymentQuery = {
  ...{ registry, implementation: implementationAddressOf(registry), executor, collector },
  ...{ recoveryExecutor: addressOf(0xe), lens: addressOf(0xf), worthless: addressOf(0x10), tokens: [zeroAddress] },
  ...{ signers: [addressOf(0x11)], relayers: [addressOf(0x12), addressOf(0x13)], rules: [rule] },
}
const sound: Deployment = {
  node: 'Geth/v1.16.0',
  code: {
    registry: code('AccountRegistry'),
    implementation: code('ModularAccount'),
    executor: code('RouteExecutor'),
    lens: code('BalanceLens'),
  },
  ...{ implementation: query.implementation, accountRegistry: registry, executorRegistry: registry, isModule: true },
  recoveryExecutor: { code: code('RecoveryExecutor'), executor, isModule: true },
  ...{ signers: [true], relayers: [true, true], isCollector: true, trustsDrafts: false, paused: false },
  ...{ holders: [addressOf(0x14), addressOf(0x15)], maxNativeFeeWei: 1n },
  guards: [{ ...rule, spender: zeroAddress, at: addressOf(0x16), code: code('Guard') }],
  caps: [{ token: zeroAddress, limitRaw: 1n }],
}
const found = (changed: Partial<Deployment>): string[] =>
  findingsOf('Base', { ...sound, ...changed }, query, shipped).map(({ weight, sentence }) => `${weight} ${sentence}`)
const withCode = (changed: Partial<Deployment['code']>) => ({ code: { ...sound.code, ...changed } })
const published = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('contracts that are as configured have no finding, with or without a RecoveryExecutor', () => {
  expect(found({})).toEqual([])
  expect(found({ recoveryExecutor: null })).toEqual([])
  const upper = (address: Hex) => address.toUpperCase().replace('0X', '0x') as Hex
  expect(found({ accountRegistry: upper(registry), executorRegistry: upper(registry) })).toEqual([])
})

test('a contract without its code is WRONG, and nothing that it says is read', () => {
  const unfit = { isModule: false, paused: true }
  const named = {
    registry: ['ACCOUNT_REGISTRY_ADDRESS', 'AccountRegistry'],
    implementation: ['The account behind ACCOUNT_REGISTRY_ADDRESS', 'ModularAccount'],
    executor: ['ROUTE_EXECUTOR_ADDRESS', 'RouteExecutor'],
  } as const
  for (const [what, [name, contract]] of Object.entries(named)) {
    expect(found({ ...withCode({ [what]: '0x' }), ...unfit })).toEqual([`WRONG ${name} has no code on Base.`])
    const other = `WRONG ${name} is not the shipped ${contract} on Base.`
    expect(found({ ...withCode({ [what]: '0xff' }), ...unfit })).toEqual([other])
  }
})

testAll<[changed: Partial<Deployment>, finding: string]>([
  [{ implementation: addressOf(1) }, 'WRONG ACCOUNT_REGISTRY_ADDRESS deploys accounts of another registry'],
  [{ accountRegistry: addressOf(1) }, 'WRONG ACCOUNT_REGISTRY_ADDRESS deploys accounts of another registry'],
  [{ executorRegistry: addressOf(1) }, 'WRONG ROUTE_EXECUTOR_ADDRESS serves another registry'],
  [{ isModule: false }, 'UNFIT ROUTE_EXECUTOR_ADDRESS is not a module of ACCOUNT_REGISTRY_ADDRESS'],
  [{ trustsDrafts: true }, 'UNFIT ROUTE_EXECUTOR_ADDRESS lists the signer of drafts, whose key is public,'],
  [{ signers: [true, false] }, 'UNFIT The address of ROUTE_SIGNER_PRIVATE_KEY is not a signer of the executor'],
  [{ relayers: [true, false] }, `UNFIT The relayer ${addressOf(0x13)} is not listed by the executor`],
  [{ isCollector: false }, 'UNFIT FEE_COLLECTOR_ADDRESS is not a collector of the executor'],
  [{ holders: [addressOf(1), zeroAddress] }, 'UNFIT A holder of ACCOUNT_REGISTRY_ADDRESS is missing'],
  [{ guards: [{ ...sound.guards[0]!, code: '0xff' }] }, 'UNFIT Guard is not the shipped contract'],
  [
    { guards: [...sound.guards, { ...sound.guards[0]!, code: '0x' }] },
    'UNFIT A rule of Guard is missing in the executor',
  ],
  [{ holders: [published] }, `WRONG Published keys are in use (${published})`],
  [{ paused: true }, 'TOLD The executor is paused'],
  [withCode({ lens: '0x' }), 'TOLD BALANCE_LENS_ADDRESS is not the shipped lens'],
  [
    { caps: [{ token: addressOf(1), limitRaw: 0n }, ...sound.caps] },
    'TOLD 1 of 2 listed tokens have a cap of 0 and cannot be routed',
  ],
  [
    { recoveryExecutor: { ...sound.recoveryExecutor!, code: '0xff', isModule: false, executor: addressOf(1) } },
    'UNFIT RECOVERY_EXECUTOR_ADDRESS is not the shipped RecoveryExecutor',
  ],
  [
    { recoveryExecutor: { ...sound.recoveryExecutor!, executor: addressOf(1) } },
    'UNFIT RECOVERY_EXECUTOR_ADDRESS serves another ROUTE_EXECUTOR_ADDRESS',
  ],
  [
    { recoveryExecutor: { ...sound.recoveryExecutor!, isModule: false } },
    'UNFIT RECOVERY_EXECUTOR_ADDRESS is not a module of ACCOUNT_REGISTRY_ADDRESS',
  ],
])('each difference from the configuration is one finding, by its severity', (changed, finding) => {
  expect(found(changed)).toEqual([`${finding} on Base.`])
})

test('published keys are in use if any key is one of them, unless the node is a development node', () => {
  const using = (changed: Partial<DeploymentQuery>, node: string) =>
    findingsOf('Base', { ...sound, node }, { ...query, ...changed }, shipped).map(({ weight }) => weight)
  for (const changed of [{ signers: [published] }, { relayers: [published] }, { collector: published }] as const) {
    for (const node of ['Geth/v1.16.0', 'bor/v2 (anvil/ compatible)', ''])
      expect(using(changed, node)).toEqual(['WRONG'])
    for (const node of ['anvil/v1', 'HardhatNetwork/2', 'Ganache/v7']) expect(using(changed, node)).toEqual([])
  }
})
