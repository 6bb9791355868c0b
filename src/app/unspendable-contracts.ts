import { multicall3 } from '../adapters/evm/feeds/feed-abi'
import { guardAddresses } from '../deploying/product-contracts'
import { deploymentProxy, implementationAddressOf } from '../domain/chain/account'
import type { Address } from '../domain/chain/hex'
import type { UnspendableContracts } from '../domain/deposit/unspendable'
import { messageTransmitter, tokenMessenger, tokenMinter } from '../protocols/cctp/burn'
import { lifiDiamond } from '../protocols/lifi/diamond'
import { relayDepository } from '../protocols/relay/relay-order'

type Deployed = {
  registry: Address
  executor: Address
  recoveryExecutor: Address | null
  formerExecutors: readonly Address[]
  lens: Address
  relaySolver: Address
}

/** The same address on every chain. */
const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/** Of Base, Ethereum, Polygon, Arbitrum and Avalanche, in this order. */
const acrossSpokePools: readonly Address[] = [
  '0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64',
  '0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5',
  '0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096',
  '0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A',
  '0xE0DB08B3F72931Dca2Ed7323a1053EaC42715bEe',
]

/**
 * Pools of native coin, USDC and USDT, in this order, where they exist. Sources: stargate-protocol/stargate-v2 at
 * 938c95d6, packages/stg-evm-v2/deployments, and docs.stargate.finance, "Mainnet Contracts" and "Testnet Contracts".
 */
const stargatePools: readonly Address[] = [
  // Base
  '0xdc181Bd607330aeeBEF6ea62e03e5e1Fb4B6F7C7',
  '0x27a16dc786820B16E5c9028b75B99F6f604b5d26',
  // Ethereum
  '0x77b2043768d28E9C9aB44E1aBfC95944bcE57931',
  '0xc026395860Db2d07ee33e05fE50ed7bD583189C7',
  '0x933597a323Eb81cAe705C5bC29985172fd5A3973',
  // Polygon, without coin
  '0x9Aa02D4Fae7F58b8E8f34c66E756cC734DAc7fe4',
  '0xd47b03ee6d86Cf251ee7860FB2ACf9f91B9fD4d7',
  // Arbitrum
  '0xA45B5130f36CDcA45667738e2a258AB09f4A5f7F',
  '0xe8CDF27AcD73a434D661C84887215F7598e7d0d3',
  '0xcE8CcA271Ebc0533920C83d39F417ED6A0abB7D0',
  // Avalanche, without coin
  '0x5634c4a5FEd09819E3c46D86A965Dd9447d86e47',
  '0x12dC9256Acc9895B076f6638D628382881e62CeE',
  // Sepolia
  '0x9Cc7e185162Aa5D1425ee924D97a87A0a34A0706',
  '0x4985b8fcEA3659FD801a5b857dA1D00e985863F0',
  '0x9D819CcAE96d41d8F775bD1259311041248fF980',
  // Arbitrum Sepolia
  '0x6fddB6270F6c71f31B62AE0260cfa8E2e2d186E0',
  '0x543BdA7c6cA4384FE90B1F5929bb851F52888983',
  '0xB956d6FDFB235636DE7885C5166756823bb27e3a',
  // Avalanche Fuji, USDT only
  '0x5b32c997211621d55a89Cc5abAF1cC21F3A6ddF5',
]

/**
 * Relay's receiver and its routers v3 and v3.2, the same on all five chains. Sources: lifinance/contracts,
 * config/relay.json at 087e3f24, and docs.relay.link, "Contract Addresses" and "Changelog".
 */
const relayPeriphery: readonly Address[] = [
  '0xa5f565650890fba1824ee0f21ebbbf660a179934',
  '0xb92fe925dc43a0ecde6c8b1a2709c170ec4fff4f',
  '0x0729e2a4716d9f7dd17858d5d504426d228697f7',
]

/** Contracts that people find in an explorer and paste as a recipient. Tokens sent to them cannot be spent. */
export const unspendableContracts = (own: Deployed): UnspendableContracts[] => [
  {
    name: 'a contract of this service',
    addresses: [
      own.registry,
      implementationAddressOf(own.registry),
      own.executor,
      ...(own.recoveryExecutor ? [own.recoveryExecutor] : []),
      ...own.formerExecutors,
      own.lens,
      ...guardAddresses(own.relaySolver),
    ],
  },
  { name: 'the contract of LI.FI', addresses: [lifiDiamond] },
  { name: 'a contract of Circle', addresses: [tokenMessenger, messageTransmitter, tokenMinter] },
  { name: 'a contract of Across', addresses: acrossSpokePools },
  { name: 'a contract of Stargate', addresses: stargatePools },
  { name: 'a contract of Relay', addresses: [relayDepository, ...relayPeriphery] },
  { name: 'the contract Multicall3', addresses: [multicall3] },
  { name: 'the contract Permit2', addresses: [permit2] },
  { name: 'the contract that deploys others', addresses: [deploymentProxy] },
]
