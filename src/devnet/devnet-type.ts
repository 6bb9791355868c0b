import type { ChainId, ChainKey } from '../domain/chain/chain'
import type { Address, Hex } from '../domain/chain/hex'
import type { Deposit } from './chains/faucet'
import type { Receipt } from './rpc/rpc'

export type DevnetPort = ChainKey | 'lifi' | 'relay' | 'cctp' | 'control' | 'alchemy'

export type DevnetOptions = {
  /** The folder for the token list and the logs. */
  dir: string
  report?: (line: string) => void
  ports?: Partial<Record<DevnetPort, number>>
  blockTimeSeconds?: number
  /** Omits the product's contracts, and leaves the chains days in the past, for a separate deployment. */
  isEmpty?: boolean
  webhookUrl?: string
  /**
   * Whether webhooks report every account until the first address is registered. Otherwise they report only registered
   * accounts.
   */
  watchesAll?: boolean
}

export type DevnetChain = {
  key: ChainKey
  rpcUrl: string
  nativeSymbol: string
  tokens: Record<string, { address: Address; decimals: number }>
}

export type Devnet = {
  chains: Record<ChainId, DevnetChain>
  contracts: Record<'registry' | 'executor' | 'recoveryExecutor' | 'lens' | 'bridge', Address> & {
    guards: Record<string, Address>
  }
  keys: Record<'routeSigner' | 'faucet' | 'admin' | 'guardian' | 'recovery', Hex> & {
    relayers: Hex[]
    collector: Address
  }
  lifiUrl: string
  relayUrl: string
  cctpUrl: string
  controlUrl: string
  alchemyUrl: string
  alchemyToken: string
  /** The stand-ins for Alchemy's nodes, which answer `alchemy_getAssetTransfers` and `eth_chainId` only. */
  alchemyRpcUrls: Record<ChainKey, string>
  /** Target of webhooks if they report only registered addresses, or null if they report every account. */
  registration: { webhookUrl: string } | null
  webhookSigningKeys: Record<ChainKey, string>
  tokenListPath: string
  processes: Record<string, number>
  setWebhookUrl(url: string): void
  sendDeposit(deposit: Deposit): Promise<Hex>
  waitForReceipt(chainKey: ChainKey, hash: Hex): Promise<Receipt>
  balanceOf(chainKey: ChainKey, token: string, owner: Address): Promise<bigint>
  /** The variables that the service needs to run on this devnet. Variables of our own environment win. */
  serviceEnv(): Record<string, string>
  stop(): Promise<void>
}
