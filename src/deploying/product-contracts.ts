import { concatHex, encodeDeployData, keccak256, pad } from 'viem/utils'
import { deployedAddressOf, type Holders } from '../domain/chain/account'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import { zeroAddress } from '../domain/chain/hex'
import { deployedRules } from '../signer/all-rules'
import type { GuardName } from '../signer/function-rule'
import { artifact } from './artifact'

/** The init code with the empty salt before it, as the deployment proxy takes it, and the resulting address. */
type ProductContract = { address: Address; bytes: Hex; codeHash: Hash }
export type ProductContracts = {
  registry: ProductContract
  lens: ProductContract
  guards: Record<GuardName, ProductContract>
  executor: ProductContract
  recoveryExecutor: ProductContract
}

/** The values fixed at deployment. Any other value here means other addresses. */
export type ContractSettings = {
  holders: Holders
  relayers: readonly Address[]
  signers: readonly Address[]
  collectors: readonly Address[]
  /** The solver of Relay's orders. */
  relaySolver: Address
  /** The daily cap of each token, in atomic units; the zero address is the native coin. */
  caps: readonly { token: Address; limit: bigint }[]
  maxNativeFeeWei: bigint
}

const salt: Hex = `0x${'0'.repeat(64)}`

/** The product's contracts, with the same address on every chain, in the order of their deployment. */
export function productContracts(settings: ContractSettings): ProductContracts {
  const { holders, relayers, signers, collectors, relaySolver, caps, maxNativeFeeWei } = settings
  const registry = contract('AccountRegistry', [holders.admin, holders.guardian, holders.recovery])
  const lens = contract('BalanceLens')
  const functions = deployedRules(relaySolver)
  const guards = guardsOf(relaySolver)
  const rules = functions.flatMap(({ target, selector, guard }) =>
    [target, zeroAddress].map((spender) => ({
      target,
      selector,
      spender,
      guard: guards[guard].address,
      guardCodeHash: guards[guard].codeHash,
    })),
  )
  const executor = contract('RouteExecutor', [
    registry.address,
    { relayers, signers, collectors, caps, rules, maxNativeFee: maxNativeFeeWei },
  ])
  const recoveryExecutor = contract('RecoveryExecutor', [executor.address])
  return { registry, lens, guards, executor, recoveryExecutor }
}

function guardsOf(relaySolver: Address): Record<GuardName, ProductContract> {
  const argumentsOf = (guard: GuardName) => (guard === 'RelayDepositGuard' ? [relaySolver] : [])
  return Object.fromEntries(
    deployedRules(relaySolver).map(({ guard }) => [guard, contract(guard, argumentsOf(guard))]),
  ) as Record<GuardName, ProductContract>
}

/** The addresses of the guards of this release. */
export const guardAddresses = (relaySolver: Address): Address[] =>
  Object.values(guardsOf(relaySolver)).map(({ address }) => address)

/** Each contract by its name, in the order of their deployment. */
export function deployedContracts(contracts: ProductContracts): [name: string, ProductContract][] {
  const { registry, lens, guards, executor, recoveryExecutor } = contracts
  const all = { AccountRegistry: registry, BalanceLens: lens, ...guards }
  return Object.entries({ ...all, RouteExecutor: executor, RecoveryExecutor: recoveryExecutor })
}

function contract(name: string, args: readonly unknown[] = []): ProductContract {
  const { abi, bytecode, deployedBytecode, immutables } = artifact(name)
  const code = encodeDeployData({ abi, bytecode, args: args as unknown[] })
  const codeHash = keccak256(withImmutables(deployedBytecode, immutables, args[0] as Hex))
  return { address: deployedAddressOf(code), bytes: concatHex([salt, code]), codeHash }
}

/** The code as it is on the chain. Every immutable of the contract must be its first constructor argument. */
const withImmutables = (code: Hex, offsets: readonly number[], value: Hex): Hex =>
  offsets.reduce<Hex>((filled, start) => {
    const at = 2 + start * 2
    return `0x${filled.slice(2, at)}${pad(value).slice(2)}${filled.slice(at + 64)}`
  }, code)
