import { encodeFunctionData, type Hex, parseUnits, toHex } from 'viem'
import {
  accountRegistryAbi,
  devBridgeAbi,
  devMessageTransmitterAbi,
  devPriceFeedAbi,
  devTokenAbi,
  devTokenMessengerAbi,
  devTokenMinterAbi,
} from '../../../contracts/artifacts/abi'
import { artifact } from '../../deploying/artifact'
import { deploymentProxy } from '../../domain/chain/account'
import { type ChainId, chainIds, chainOf, chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { priceFeeds } from '../../domain/money/price-feeds'
import { domainOf, messageTransmitter, tokenMessenger, tokenMinter } from '../../protocols/cctp/burn'
import { endpointIdOf, usdcOf } from '../../protocols/lifi/diamond'
import { relayDepository } from '../../protocols/relay/relay-order'
import { devnetClock } from '../devnet-clock'
import type { Call, Receipt, Rpc } from '../rpc/rpc'
import { accounts, circleFeeRecipient } from './accounts'
import {
  bridgeAddress,
  devnetContracts,
  gasPriceOracleAddress,
  multicall3Address,
  nativeAliasAddress,
} from './contracts'
import { type DevToken, tokenOf, tokens } from './tokens'

const coin = 10n ** 18n
const moduleDelaySeconds = 3 * 86_400
/** Age of the genesis block. The delay for installing a module has thus passed at the start. */
export const genesisAgeSeconds = moduleDelaySeconds + 86_400

type Deploying = {
  genesisTime: number
  /** Omits the product's contracts, and leaves the chain at the time of its genesis, for a separate deployment. */
  isEmpty: boolean
}

/** Fills an empty chain: predeploys, tokens, the bridge, the product's contracts, and money for all parties. */
export async function deploy(rpc: Rpc, chainId: ChainId, { genesisTime, isEmpty }: Deploying): Promise<void> {
  const code = (address: Address, name: string): Call => ['anvil_setCode', address, artifact(name).deployedBytecode]
  const fund = (address: Address, coins: bigint): Call => ['anvil_setBalance', address, toHex(coins * coin)]
  const { admin, guardian, recovery, faucet, solver, relaySolver, deployer, relayers } = accounts
  const here = tokens.filter((token) => token.chainId === chainId)
  const feeds = priceFeeds.filter((feed) => feed.chainId === chainId)

  await rpc.askAll([
    ['evm_setIntervalMining', 0],
    ['anvil_autoImpersonateAccount', true],
    ...here.map(({ address, contract }) => code(address, contract)),
    code(bridgeAddress, 'DevBridge'),
    code(multicall3Address, 'DevMulticall3'),
    code(relayDepository, 'DevDepository'),
    code(tokenMessenger, 'DevTokenMessenger'),
    code(messageTransmitter, 'DevMessageTransmitter'),
    code(tokenMinter, 'DevTokenMinter'),
    ...feeds.map(({ address }) => code(address, 'DevPriceFeed')),
    ...(chainOf(chainId).l1DataFee === 'OP_STACK' ? [code(gasPriceOracleAddress, 'DevGasPriceOracle')] : []),
    ...(chainId === chains.polygon.id ? [code(nativeAliasAddress, 'DevNativeAlias')] : []),
    ...[admin, guardian, recovery, deployer, ...relayers].map(({ address }) => fund(address, 1000n)),
    fund(solver.address, 100_000n),
    fund(relaySolver.address, 100_000_000n),
    fund(faucet.address, 1_000_100n),
    fund(bridgeAddress, 100_000_000n),
  ])

  const { registry, lens, guards, executor, recoveryExecutor } = devnetContracts()
  const setUp = new Batch(rpc)
  const first = isEmpty ? [] : [registry, lens, ...Object.values(guards)]
  for (const { bytes } of first) setUp.add(deployer.address, deploymentProxy, bytes, 5_000_000n)
  const toBridge = encode('initialize', [solver.address, bridgeChains], devBridgeAbi)
  setUp.add(deployer.address, bridgeAddress, toBridge, 100_000n * BigInt(bridgeChains.length))
  for (const token of here) for (const data of tokenCalls(token)) setUp.add(deployer.address, token.address, data)
  for (const [address, data] of circleCalls(chainId)) setUp.add(deployer.address, address, data, 1_000_000n)
  for (const { address, pairs, tokens: priced } of feeds) {
    const usd = parseUnits(tokenOf(chainId, priced[0]!)!.priceUsd, 8)
    setUp.add(deployer.address, address, encode('initialize', [pairs[0]!, usd], devPriceFeedAbi))
  }
  if (!isEmpty) setUp.add(deployer.address, deploymentProxy, executor.bytes, 15_000_000n)
  if (!isEmpty) setUp.add(deployer.address, deploymentProxy, recoveryExecutor.bytes, 5_000_000n)
  if (chainOf(chainId).l1DataFee === 'OP_STACK') {
    const fees = encodeFunctionData({
      abi: artifact('DevGasPriceOracle').abi,
      functionName: 'setFees',
      args: [10n ** 9n, 1n],
    })
    setUp.add(deployer.address, gasPriceOracleAddress, fees)
  }
  await setUp.mine()

  const modules = async (functionName: 'scheduleModule' | 'installModule') => {
    const batch = new Batch(rpc)
    for (const { address } of [executor, recoveryExecutor]) {
      const data = encodeFunctionData({ abi: accountRegistryAbi, functionName, args: [address] })
      batch.add(admin.address, registry.address, data)
    }
    await batch.mine()
  }
  if (!isEmpty) {
    await modules('scheduleModule')
    await rpc.ask('anvil_setTime', genesisTime + moduleDelaySeconds + 3600)
    await modules('installModule')
    await rpc.ask('anvil_setTime', Math.floor(devnetClock() / 1000))
  }
  await rpc.askAll([['evm_mine'], ['anvil_autoImpersonateAccount', false], ['evm_setIntervalMining', 1]])
}

const bridgeChains = chainIds.map((id) => ({ chainId: BigInt(id), endpointId: endpointIdOf(id), usdc: usdcOf(id) }))

/** Circle's contracts on a chain: the attester, the tokens that burns mint, and the right to mint and burn. */
function circleCalls(chainId: ChainId): [Address, Hex][] {
  const others = chainIds.filter((id) => id !== chainId)
  const remotes = others.map((id) => ({ domain: domainOf(id), messenger: tokenMessenger, burnToken: usdcOf(id) }))
  const bridge = [messageTransmitter, usdcOf(chainId), circleFeeRecipient, remotes]
  const attesters = [accounts.cctpAttester.address]
  return [
    [messageTransmitter, encode('initialize', [domainOf(chainId), attesters], devMessageTransmitterAbi)],
    [tokenMessenger, encode('initialize', bridge, devTokenMessengerAbi)],
    [tokenMessenger, encode('setLocalMinter', [tokenMinter], devTokenMessengerAbi)],
    [tokenMinter, encode('initialize', [tokenMessenger], devTokenMinterAbi)],
    [usdcOf(chainId), encode('setMinter', [tokenMessenger], devTokenAbi)],
  ]
}

function tokenCalls({ symbol, name, decimals }: DevToken): Hex[] {
  const unit = 10n ** BigInt(decimals)
  const mint = (to: Address, amount: bigint) => encode('mint', [to, amount], devTokenAbi)
  const initialize = encode('initialize', [name, symbol, decimals, accounts.deployer.address], devTokenAbi)
  if (decimals > 60) return [initialize, mint(accounts.faucet.address, unit)]
  const purses = [bridgeAddress, accounts.relaySolver.address].map((purse) => mint(purse, 1_000_000_000n * unit))
  return [initialize, mint(accounts.faucet.address, 1_000_000n * unit), ...purses]
}

const encode = (functionName: string, args: readonly unknown[], abi: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])

/** Transactions of unlocked accounts, all in one block. */
class Batch {
  private readonly calls: Call[] = []

  constructor(private readonly rpc: Rpc) {}

  add(from: Address, to: Address, data: Hex, gas = 300_000n): this {
    this.calls.push(['eth_sendTransaction', { from, to, data, gas: toHex(gas) }])
    return this
  }

  async mine(): Promise<void> {
    const hashes = (await this.rpc.askAll(this.calls)) as Hex[]
    await this.rpc.ask('evm_mine')
    const receipts = await this.rpc.askAll(hashes.map((hash) => ['eth_getTransactionReceipt', hash]))
    receipts.forEach((receipt, index) => {
      if ((receipt as Receipt | null)?.status === '0x1') return
      throw new Error(
        `Setting up the devnet failed at step ${index}: ${JSON.stringify(this.calls[index]).slice(0, 200)}`,
      )
    })
  }
}
