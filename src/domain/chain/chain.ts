import type { Address } from './hex'

const gwei = 10n ** 9n
const ether = 10n ** 18n

/** Network with real money, or with test money for rehearsals. */
export type Network = 'mainnet' | 'testnet'
export const networks: readonly Network[] = ['mainnet', 'testnet']

/**
 * Network of this process, from the variable NETWORK. Chains, tokens, price feeds, API keys and addresses follow from
 * it. A process never changes its network, so this is the only variable that is read here. `config.ts` refuses any
 * other value. The pages are bundled for the network of the process that serves them.
 */
export const network: Network = process.env['NETWORK'] === 'testnet' ? 'testnet' : 'mainnet'

/**
 * The chains with real money. Only this file names chains: the API's enum, the clients, the environment variables, the
 * OpenAPI document and the tests derive from it. A key is the API's `chainKey`. (Confirmation depths: providers 1.)
 */
const mainnet = {
  base: {
    id: 8453,
    name: 'Base',
    native: { symbol: 'ETH', name: 'Ether', aliases: [], tokenAddress: null },
    explorerUrl: 'https://basescan.org',
    confirmations: 10,
    blockSeconds: 2,
    alchemyNetwork: 'BASE_MAINNET',
    alchemyHost: 'base-mainnet',
    layerZeroEndpointId: 30184,
    relayName: 'base',
    cctpDomain: 6,
    cctpFast: true,
    gasLimitMax: 8_000_000n,
    tipMaxWei: 10n * gwei,
    nativeFeeMaxWei: ether / 100n,
    l1DataFee: 'OP_STACK',
    isDataInGas: false,
  },
  ethereum: {
    id: 1,
    name: 'Ethereum',
    native: { symbol: 'ETH', name: 'Ether', aliases: [], tokenAddress: null },
    explorerUrl: 'https://etherscan.io',
    confirmations: 12,
    blockSeconds: 12,
    alchemyNetwork: 'ETH_MAINNET',
    alchemyHost: 'eth-mainnet',
    layerZeroEndpointId: 30101,
    relayName: 'ethereum',
    cctpDomain: 0,
    cctpFast: true,
    gasLimitMax: 8_000_000n,
    tipMaxWei: 50n * gwei,
    nativeFeeMaxWei: ether / 100n,
    l1DataFee: null,
    isDataInGas: false,
  },
  polygon: {
    id: 137,
    name: 'Polygon',
    native: {
      symbol: 'POL',
      name: 'Polygon Ecosystem Token',
      aliases: ['MATIC'],
      tokenAddress: '0x0000000000000000000000000000000000001010',
    },
    explorerUrl: 'https://polygonscan.com',
    confirmations: 64,
    blockSeconds: 2,
    alchemyNetwork: 'MATIC_MAINNET',
    alchemyHost: 'polygon-mainnet',
    layerZeroEndpointId: 30109,
    relayName: 'polygon',
    cctpDomain: 7,
    cctpFast: false,
    gasLimitMax: 8_000_000n,
    tipMaxWei: 2_000n * gwei,
    nativeFeeMaxWei: 50n * ether,
    l1DataFee: null,
    isDataInGas: false,
  },
  arbitrum: {
    id: 42161,
    name: 'Arbitrum',
    native: { symbol: 'ETH', name: 'Ether', aliases: [], tokenAddress: null },
    explorerUrl: 'https://arbiscan.io',
    confirmations: 20,
    blockSeconds: 0.25,
    alchemyNetwork: 'ARB_MAINNET',
    alchemyHost: 'arb-mainnet',
    layerZeroEndpointId: 30110,
    relayName: 'arbitrum',
    cctpDomain: 3,
    cctpFast: true,
    gasLimitMax: 30_000_000n,
    tipMaxWei: gwei,
    nativeFeeMaxWei: ether / 100n,
    l1DataFee: null,
    isDataInGas: true,
  },
  avalanche: {
    id: 43114,
    name: 'Avalanche',
    native: { symbol: 'AVAX', name: 'Avalanche', aliases: [], tokenAddress: null },
    explorerUrl: 'https://snowtrace.io',
    confirmations: 3,
    blockSeconds: 2,
    alchemyNetwork: 'AVAX_MAINNET',
    alchemyHost: 'avax-mainnet',
    layerZeroEndpointId: 30106,
    relayName: 'avalanche',
    cctpDomain: 1,
    cctpFast: false,
    gasLimitMax: 8_000_000n,
    tipMaxWei: 200n * gwei,
    nativeFeeMaxWei: ether,
    l1DataFee: null,
    isDataInGas: false,
  },
} as const satisfies Record<string, ChainRow>

/** The test networks of the same chains, for rehearsals. Unlisted values equal those of the mainnet chains. */
const testnet = {
  base: {
    ...mainnet.base,
    id: 84532,
    name: 'Base Sepolia',
    explorerUrl: 'https://sepolia.basescan.org',
    alchemyNetwork: 'BASE_SEPOLIA',
    alchemyHost: 'base-sepolia',
    layerZeroEndpointId: 40245,
    relayName: 'base-sepolia',
  },
  ethereum: {
    ...mainnet.ethereum,
    id: 11155111,
    name: 'Sepolia',
    explorerUrl: 'https://sepolia.etherscan.io',
    alchemyNetwork: 'ETH_SEPOLIA',
    alchemyHost: 'eth-sepolia',
    layerZeroEndpointId: 40161,
    relayName: 'sepolia',
  },
  polygon: {
    ...mainnet.polygon,
    id: 80002,
    name: 'Polygon Amoy',
    explorerUrl: 'https://amoy.polygonscan.com',
    alchemyNetwork: 'MATIC_AMOY',
    alchemyHost: 'polygon-amoy',
    layerZeroEndpointId: 40267,
    relayName: 'amoy',
  },
  arbitrum: {
    ...mainnet.arbitrum,
    id: 421614,
    name: 'Arbitrum Sepolia',
    explorerUrl: 'https://sepolia.arbiscan.io',
    alchemyNetwork: 'ARB_SEPOLIA',
    alchemyHost: 'arb-sepolia',
    layerZeroEndpointId: 40231,
    relayName: 'arbitrum-sepolia',
  },
  avalanche: {
    ...mainnet.avalanche,
    id: 43113,
    name: 'Avalanche Fuji',
    explorerUrl: 'https://testnet.snowtrace.io',
    alchemyNetwork: 'AVAX_FUJI',
    alchemyHost: 'avax-fuji',
    layerZeroEndpointId: 40106,
    relayName: 'avalanche-fuji',
  },
} as const satisfies Record<keyof typeof mainnet, ChainRow>

/** The chains of this process's network. */
export const chains = network === 'testnet' ? testnet : mainnet

type ChainRow = {
  id: number
  /** Name in tables and sentences, everywhere: the API, the pages, the deposit card. */
  name: string
  native: {
    symbol: string
    name: string
    aliases: readonly string[]
    /** Address that lets the coin be used as a token (decision 26), or null. */
    tokenAddress: Address | null
  }
  explorerUrl: string
  /** Blocks required before a deposit is routed, including the deposit's own. */
  confirmations: number
  blockSeconds: number
  alchemyNetwork: string
  /** Host name of its nodes at Alchemy, equal to the network's value in Alchemy's SDK. */
  alchemyHost: string
  /** LayerZero's endpoint id. */
  layerZeroEndpointId: number
  /** Relay's name for the chain. */
  relayName: string
  /** Circle's domain number, and whether Circle attests burns there before they are final. */
  cctpDomain: number
  cctpFast: boolean
  /**
   * Highest gas limit of an order: several times the gas of a route, and less than nodes allow. On Arbitrum it includes
   * the gas for the transaction's data.
   */
  gasLimitMax: bigint
  /**
   * Highest tip that a relayer pays, in wei per gas, whatever its node suggests. It is several times the usual tip in
   * busy hours. The chain sets the base fee, but a block producer keeps every tip that is offered.
   */
  tipMaxWei: bigint
  /** Highest native fee of a bridge for money that starts on this chain, in wei of its coin. */
  nativeFeeMaxWei: bigint
  /** Data fee that a rollup charges on top of the gas estimate. On Arbitrum it is part of the gas. */
  l1DataFee: 'OP_STACK' | null
  /** Whether the gas limit also pays for posting the transaction's data. The contract then starts with less gas. */
  isDataInGas: boolean
}

export type ChainKey = keyof typeof mainnet
export type ChainId = (typeof chains)[ChainKey]['id']
export const chainKeys = Object.keys(chains) as ChainKey[]
export const chainIds = chainKeys.map((key) => chains[key].id)

const keys = new Map<number, ChainKey>(chainKeys.map((key) => [chains[key].id, key]))

export const isChainId = (id: number): id is ChainId => keys.has(id)
export const chainKeyOf = (id: ChainId): ChainKey => keys.get(id)!
export const chainOf = (id: ChainId): ChainRow => chains[chainKeyOf(id)]

/** Returns the label of a chain in metrics; empty for none, and for a stored chain that this release no longer has. */
export const chainLabelOf = (id: number | null): ChainKey | '' => (id === null ? '' : (keys.get(id) ?? ''))

/** Returns the block time of a chain; 0 for a stored chain that this release no longer has. */
export const blockSecondsOf = (id: number): number => (isChainId(id) ? chainOf(id).blockSeconds : 0)

/** Builds a record with one value for each chain, by its key. */
export const perChainKey = <Value>(make: (key: ChainKey) => Value): Record<ChainKey, Value> =>
  Object.fromEntries(chainKeys.map((key) => [key, make(key)])) as Record<ChainKey, Value>

/** Builds a record with one value for each chain, by its id. */
export const perChain = <Value>(make: (id: ChainId, key: ChainKey) => Value): Record<ChainId, Value> =>
  Object.fromEntries(chainKeys.map((key) => [chains[key].id, make(chains[key].id, key)])) as Record<ChainId, Value>

/** Source and target chain. */
export type ChainPair = { fromChainId: ChainId; toChainId: ChainId }

/** Returns the pair as shown to people: "from Avalanche to Base". */
export const betweenChains = ({ fromChainId, toChainId }: ChainPair): string =>
  `from ${chainOf(fromChainId).name} to ${chainOf(toChainId).name}`

/** Whether the pairs share no chain, so one failing chain cannot explain both failures. */
export const areApart = (one: ChainPair, other: ChainPair): boolean =>
  ![one.fromChainId, one.toChainId].some((id) => id === other.fromChainId || id === other.toChainId)

export const isBetween = (one: ChainPair, other: ChainPair): boolean =>
  one.fromChainId === other.fromChainId && one.toChainId === other.toChainId
