import type { ChainId, ChainKey } from '../domain/chain/chain'
import type { Address, Hex } from '../domain/chain/hex'
import type { Deposit } from './chains/faucet'
import type { Receipt } from './rpc/rpc'

export type DevnetPort = ChainKey | 'lifi' | 'relay' | 'control' | 'alchemy'

export type DevnetOptions = {
  /** Token list and logs are written here. */
  dir: string
  report?: (line: string) => void
  ports?: Partial<Record<DevnetPort, number>>
  blockTimeSeconds?: number
  webhookUrl?: string
  /** Webhooks tell of every account, as long as nobody registers addresses. Else only of those that are registered. */
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
  contracts: Record<'registry' | 'executor' | 'lens' | 'bridge', Address> & {
    guards: Record<string, Address>
  }
  keys: Record<'routeSigner' | 'faucet' | 'admin' | 'guardian' | 'recovery', Hex> & {
    relayers: Hex[]
    collector: Address
  }
  lifiUrl: string
  relayUrl: string
  controlUrl: string
  alchemyUrl: string
  alchemyToken: string
  /** Alchemy's nodes, which answer alchemy_getAssetTransfers and nothing else. */
  alchemyRpcUrls: Record<ChainKey, string>
  /** Whether webhooks wait for addresses to be registered, and where they go. */
  registration: { webhookUrl: string } | null
  webhookSigningKeys: Record<ChainKey, string>
  tokenListPath: string
  processes: Record<string, number>
  setWebhookUrl(url: string): void
  sendDeposit(deposit: Deposit): Promise<Hex>
  waitForReceipt(chainKey: ChainKey, hash: Hex): Promise<Receipt>
  balanceOf(chainKey: ChainKey, token: string, owner: Address): Promise<bigint>
  /** What the service needs to run on this devnet. What is set in our own environment wins. */
  serviceEnv(): Record<string, string>
  stop(): Promise<void>
}
