import { productContracts } from '../../src/deploying/product-contracts'
import { accountSaltOf } from '../../src/domain/chain/account'
import { chainIds, chains, network, perChain } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { priceFeeds } from '../../src/domain/money/price-feeds'
import { pinnedTokens, tokenBySymbol, wrappedNativeOf } from '../../src/domain/money/token'
import { apiKeyText } from '../../src/domain/tenant/api-key-format'
import { domainOf, messageTransmitter, tokenMessenger, tokenMinter } from '../../src/protocols/cctp/burn'
import { relaySolver } from '../../src/protocols/relay/relay-order'

const nobody = (digit: number): Address => `0x${`${digit}`.repeat(40)}`
const { guards, executor } = productContracts({
  holders: { admin: nobody(1), guardian: nobody(2), recovery: nobody(3) },
  relayers: [nobody(4)],
  signers: [nobody(5)],
  collectors: [nobody(6)],
  relaySolver,
  caps: [],
  maxNativeFeeWei: 1n,
})

/** Values that depend on the network of the process. */
const facts = {
  network,
  ids: Object.fromEntries(Object.entries(chains).map(([key, { id }]) => [key, id])),
  names: Object.values(chains).map(({ name }) => name),
  alchemy: Object.values(chains).flatMap(({ alchemyHost, alchemyNetwork }) => [alchemyHost, alchemyNetwork]),
  key: apiKeyText(new Uint8Array(32)),
  salt: accountSaltOf(`0x${'0'.repeat(64)}`, 'user-1'),
  tokens: pinnedTokens.map(({ address }) => address),
  feeds: priceFeeds.map(({ address }) => address),
  contracts: [...Object.entries(guards), ['executor', executor] as const].map(([name, { address }]) => [name, address]),
  usdc: perChain((id) => tokenBySymbol(id, 'USDC').address),
  wrapped: perChain((id) => wrappedNativeOf(id).address),
  relayNames: perChain((_id, key) => chains[key].relayName),
  endpoints: perChain((_id, key) => chains[key].layerZeroEndpointId),
  domains: Object.fromEntries(Object.entries(chains).map(([key, { id }]) => [key, domainOf(id)])),
  domainsByChain: perChain(domainOf),
  circle: [tokenMessenger, messageTransmitter, tokenMinter],
  withEther: chainIds.filter((id) => wrappedNativeOf(id).symbol === 'WETH'),
}
export type NetworkFacts = typeof facts

if (import.meta.main) console.log(JSON.stringify(facts))
