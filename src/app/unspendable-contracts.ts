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

/** Of Base, Ethereum, Polygon and Arbitrum, in this order. Across serves no Avalanche. */
const acrossSpokePools: readonly Address[] = [
  '0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64',
  '0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5',
  '0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096',
  '0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A',
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
  { name: 'the contract of Relay', addresses: [relayDepository] },
  { name: 'the contract Multicall3', addresses: [multicall3] },
  { name: 'the contract Permit2', addresses: [permit2] },
  { name: 'the contract that deploys others', addresses: [deploymentProxy] },
]
