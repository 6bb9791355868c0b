import { concatHex, encodeDeployData, type Hex, toFunctionSelector } from 'viem'
import { devBridgeAbi } from '../../contracts/artifacts/abi'
import { deployedAddressOf } from '../domain/account'
import { type Address, zeroAddress } from '../domain/hex'
import { accounts } from './accounts'
import { artifact } from './artifact'
import { tokens } from './tokens'

/** LI.FI's Diamond has this address on all five chains, and so has what stands in for it. */
export const bridgeAddress: Address = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'
export const multicall3Address: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
export const gasPriceOracleAddress: Address = '0x420000000000000000000000000000000000000F'

const salt: Hex = `0x${'0'.repeat(64)}`
const capRaw = 2n ** 112n - 1n
const maxNativeFee = 10n ** 18n

type Deployment = { address: Address; bytes: Hex }

function deployment(name: string, args: readonly unknown[] = []): Deployment {
  const { abi, bytecode } = artifact(name)
  const code = encodeDeployData({ abi, bytecode, args: args as unknown[] })
  return { address: deployedAddressOf(code), bytes: concatHex([salt, code]) }
}

const selector = (name: string): Hex => {
  const entry = devBridgeAbi.find((each) => each.type === 'function' && each.name === name)
  return toFunctionSelector(entry as Parameters<typeof toFunctionSelector>[0])
}

/** The product's contracts as the devnet deploys them, in this order: the same address on every chain. */
export function productContracts() {
  const registry = deployment('AccountRegistry', [
    accounts.admin.address,
    accounts.guardian.address,
    accounts.recovery.address,
  ])
  const lens = deployment('BalanceLens')
  const bridgeGuard = deployment('LifiBridgeGuard')
  const swapGuard = deployment('LifiSwapGuard')
  const rule = (name: string, spender: Address, guard: Deployment) => ({
    target: bridgeAddress,
    selector: selector(name),
    spender,
    guard: guard.address,
  })
  const capped = [...new Set([zeroAddress, ...tokens.map(({ address }) => address)])]
  const executor = deployment('RouteExecutor', [
    registry.address,
    {
      relayers: accounts.relayers.map(({ address }) => address),
      signers: [accounts.routeSigner.address],
      collectors: [accounts.collector.address],
      caps: capped.map((token) => ({ token, limit: capRaw })),
      rules: [bridgeAddress, zeroAddress].flatMap((spender) => [
        rule('startBridgeTokensViaDevBridge', spender, bridgeGuard),
        rule('swapTokensGeneric', spender, swapGuard),
      ]),
      maxNativeFee,
    },
  ])
  return { registry, lens, bridgeGuard, swapGuard, executor }
}
