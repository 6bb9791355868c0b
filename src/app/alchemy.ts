import { assetTransfers } from '../adapters/alchemy/asset-transfers'
import { notify } from '../adapters/alchemy/notify'
import { signedFor } from '../adapters/alchemy/signature'
import { backfill, gapsOf } from '../detection/sweeps/backfill'
import { type AddressBook, webhookSubscriptions } from '../detection/webhooks/subscriptions'
import { type ChainId, chainKeys, chains } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { ScanCursors, SigningKeys } from '../ports/detection'
import type { LimitCounters } from '../ports/limits'
import type { Pointers } from '../ports/wakes'

export type AlchemyConfig = {
  /** Null when webhooks are created by hand and their signing keys are configured. */
  authToken: string | null
  notifyUrl: string
  /** The public URL of our webhook. */
  webhookUrl: string | null
  /** Alchemy's own nodes, used by the backfill. A chain without one relies on the scanner alone. */
  rpcUrls: Partial<Record<(typeof chainKeys)[number], string>>
  signingKeys: SigningKeys
}

type AlchemyPorts = {
  scanCursors: ScanCursors
  pointers: Pointers
  limitCounters: LimitCounters
  now: () => number
  onTrouble: (work: string, error: unknown) => void
  onPaused: (chainId: ChainId) => void
}

type Watching = {
  accounts: AddressBook & { readonly size: number }
  watchOf(chainId: ChainId): { requestSweep(account: Address, token: Address): void } | null
}

/**
 * Delay before the SDK is loaded: this takes 250 ms of CPU time, and the process serves its first requests meanwhile.
 */
const sdkAfterMs = 1_000

/**
 * Everything that we use of Alchemy: webhooks subscribed to our addresses, verification of their signatures, and a
 * backfill of missed deposits.
 */
export function alchemy(config: AlchemyConfig, ports: AlchemyPorts) {
  const { scanCursors, pointers, limitCounters, now, onTrouble, onPaused } = ports
  const { authToken, notifyUrl: url, webhookUrl } = config
  const subscribed =
    authToken && webhookUrl
      ? webhookSubscriptions({
          notify: notify({ url, authToken }),
          webhookUrl,
          limitCounters,
          now,
          onTrouble,
          onPaused,
        })
      : null
  let starting: ReturnType<typeof setTimeout> | undefined

  return {
    /** Returns the chains whose webhook signed these bytes. */
    signedFor(body: Uint8Array, signature: string): readonly ChainId[] {
      const configured = signedFor(body, signature, config.signingKeys)
      if (configured.length > 0 || !subscribed) return configured
      const learned = signedFor(body, signature, subscribed.signingKeys())
      if (learned.length === 0) subscribed.learnSoon()
      return learned
    },

    /**
     * Whether webhooks report every account on a chain. Always false for webhooks created by hand: their accounts are
     * unknown.
     */
    isFed: (chainId: ChainId): boolean => subscribed?.isComplete(chainId) ?? false,

    /** @param watching Detection, in the process that maintains the webhooks; null in the others. */
    async start(watching: Watching | null): Promise<void> {
      starting = setTimeout(() => subscribed?.start(watching?.accounts ?? null), sdkAfterMs)
      if (!watching) return
      const gaps = await gapsOf(scanCursors, now())
      const transfersOf = Object.fromEntries(
        chainKeys.flatMap((key) => {
          const rpcUrl = config.rpcUrls[key]
          return rpcUrl ? [[chains[key].id, assetTransfers(rpcUrl)]] : []
        }),
      )
      const requestSweep = (chainId: ChainId, account: Address, token: Address) =>
        watching.watchOf(chainId)?.requestSweep(account, token)
      // The start does not wait for the backfill, which can take long.
      backfill(gaps, watching.accounts, { transfersOf, pointers, requestSweep, now, onTrouble }).catch((error) =>
        onTrouble('backfill', error),
      )
    },
    stop(): void {
      clearTimeout(starting)
      subscribed?.stop()
    },
  }
}
