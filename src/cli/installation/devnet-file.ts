import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChainId, ChainKey } from '../../domain/chain/chain'
import type { Address, Hex } from '../../domain/chain/hex'
import type { SeededKeys } from '../demo/seed'
import type { DashboardAccount } from '../demo/seed-dashboard'
import { Failure } from '../terminal/failure'
import type { Installation } from './installation'
import { ownerOf, stateRoot, writePrivately } from './state-folder'

/** Facts about a running devnet for people and scripts. */
export type DevnetFile = {
  apiUrl: string
  docsUrl: string
  dashboard: DashboardAccount
  keys: SeededKeys
  faucetPrivateKey: Hex
  intentMacKey: string
  webhookUrl: string
  controlUrl: string
  chains: Record<ChainId, DevnetFileChain>
  aggregators: { lifi: string; relay: string }
  processes: Record<string, number>
  /** The service's settings without keys, for commands that only read. */
  settings: Record<string, string>
}

/** Variables that name contracts, nodes and tokens. */
const isSetting = (name: string): boolean =>
  /^(RPC_URL|CONFIRMATIONS)_|_ADDRESS(ES)?$|^(TOKEN_LIST|MONGODB_DATABASE)$/.test(name)

type DevnetFileChain = {
  key: ChainKey
  rpcUrl: string
  tokens: Record<string, { address: Address; decimals: number }>
}

export const devnetFileIn = (folder: string): string => join(folder, 'devnet.json')

export function devnetFileOf(installation: Installation): DevnetFile {
  const { apiUrl, dashboard, keys, devnet, webhookUrl } = installation
  const urls = devnet.serviceEnv()
  const chains = Object.entries(devnet.chains).map(([id, { key, rpcUrl, tokens }]) => [id, { key, rpcUrl, tokens }])
  return {
    apiUrl,
    docsUrl: `${apiUrl}/docs`,
    dashboard,
    keys,
    faucetPrivateKey: devnet.keys.faucet,
    intentMacKey: installation.intentMacKey,
    webhookUrl,
    controlUrl: devnet.controlUrl,
    chains: Object.fromEntries(chains),
    aggregators: { lifi: urls['LIFI_URL']!, relay: urls['RELAY_URL']! },
    processes: installation.processes(),
    settings: Object.fromEntries(Object.entries(installation.installationEnv()).filter(([name]) => isSetting(name))),
  }
}

export const writeDevnetFile = (folder: string, content: DevnetFile): void =>
  writePrivately(devnetFileIn(folder), content)

/** @throws {Failure} if no demo is running here. */
export function readDevnetFile(folder: string = stateRoot()): DevnetFile {
  if (!ownerOf(folder))
    throw new Failure(
      `No demo runs in the folder ${folder}: start one with "npm run demo" and leave it running. If it was started ` +
        'with SWITCHYARD_DIR, set the same SWITCHYARD_DIR for this command.',
    )
  try {
    return JSON.parse(readFileSync(devnetFileIn(folder), 'utf8')) as DevnetFile
  } catch {
    throw new Failure('The demo is still starting: try again once it has printed its addresses.')
  }
}
