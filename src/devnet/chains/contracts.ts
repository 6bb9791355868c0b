import { concatHex, encodeDeployData, type Hex, keccak256, pad } from 'viem'
import { deployedAddressOf } from '../../domain/chain/account'
import { chains } from '../../domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../domain/chain/hex'
import { lifiDiamond } from '../../protocols/lifi/diamond'
import type { GuardName } from '../../signer/function-rule'
import { relayRules } from '../../signer/relay-deposit'
import { lifiRules } from '../../signer/route-rules'
import { accounts } from './accounts'
import { artifact } from './artifact'
import { tokens } from './tokens'

/** LI.FI's Diamond has this address on all five chains, and so does the contract that stands in for it. */
export const bridgeAddress: Address = lifiDiamond
export const multicall3Address: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
/** The address at which Polygon's native coin is also a token. */
export const nativeAliasAddress: Address = chains.polygon.native.tokenAddress
export const gasPriceOracleAddress: Address = '0x420000000000000000000000000000000000000F'

const salt: Hex = `0x${'0'.repeat(64)}`
const capRaw = 2n ** 112n - 1n
const maxNativeFee = 10n ** 18n

type Deployment = { address: Address; bytes: Hex; codeHash: Hash }
type Guards = Record<GuardName, Deployment>

const guardArguments: Partial<Record<GuardName, readonly unknown[]>> = {
  RelayDepositGuard: [accounts.relaySolver.address],
}

function deployment(name: string, args: readonly unknown[] = []): Deployment {
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

/** The product's contracts, with the same address on every chain. The devnet deploys them in this order. */
export function productContracts() {
  const registry = deployment('AccountRegistry', [
    accounts.admin.address,
    accounts.guardian.address,
    accounts.recovery.address,
  ])
  const lens = deployment('BalanceLens')
  const functions = [...lifiRules(bridgeAddress), ...relayRules(accounts.relaySolver.address)]
  const guards = Object.fromEntries(
    functions.map(({ guard }) => [guard, deployment(guard, guardArguments[guard])]),
  ) as Guards
  const capped = [...new Set([zeroAddress, ...tokens.map(({ address }) => address)])]
  const executor = deployment('RouteExecutor', [
    registry.address,
    {
      relayers: accounts.relayers.map(({ address }) => address),
      signers: [accounts.routeSigner.address],
      collectors: [accounts.collector.address],
      caps: capped.map((token) => ({ token, limit: capRaw })),
      rules: functions.flatMap(({ target, selector, guard }) =>
        [target, zeroAddress].map((spender) => ({
          target,
          selector,
          spender,
          guard: guards[guard].address,
          guardCodeHash: guards[guard].codeHash,
        })),
      ),
      maxNativeFee,
    },
  ])
  return { registry, lens, guards, executor }
}
