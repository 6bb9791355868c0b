import type { Alchemy, Network } from 'alchemy-sdk'
import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import type { Notify, NotifyWebhook } from '../../ports/detection'

type NotifyConfig = { url: string; authToken: string }

const timeoutMs = 8_000
const pageSize = 100

/**
 * Alchemy's Notify API through the SDK. The SDK is loaded on first use, because it is large and not every installation
 * uses Alchemy.
 */
export function notify({ url, authToken }: NotifyConfig): Notify {
  let loading: Promise<{ alchemy: Alchemy; sdk: typeof import('alchemy-sdk') }> | null = null

  const loaded = () => {
    loading ??= import('alchemy-sdk').then((sdk) => ({
      sdk,
      // The SDK uses one `url` for every kind of API, so this instance serves Notify alone.
      alchemy: new sdk.Alchemy({ url, authToken, maxRetries: 2, requestTimeout: timeoutMs }),
    }))
    return loading
  }

  return {
    async webhooks() {
      const { alchemy, sdk } = await loaded()
      const { webhooks } = await alchemy.notify.getAllWebhooks()
      return webhooks.filter(({ type }) => type === sdk.WebhookType.ADDRESS_ACTIVITY).map(shown)
    },

    async *addresses(webhookId) {
      const { alchemy } = await loaded()
      let pageKey: string | undefined
      do {
        const page = await alchemy.notify.getAddresses(webhookId, { limit: pageSize, ...(pageKey && { pageKey }) })
        yield page.addresses
        pageKey = page.pageKey
      } while (pageKey)
    },

    async create(chainId, webhookUrl, addresses) {
      const { alchemy, sdk } = await loaded()
      const network = sdk.Network[chainOf(chainId).alchemyNetwork as keyof typeof Network]
      const made = await alchemy.notify.createWebhook(webhookUrl, sdk.WebhookType.ADDRESS_ACTIVITY, {
        addresses: addresses.map(lower),
        network,
      })
      return shown(made)
    },

    async add(webhookId, addresses) {
      const { alchemy } = await loaded()
      // Never `newAddresses`, which replaces the whole list.
      await alchemy.notify.updateWebhook(webhookId, { addAddresses: addresses.map(lower), removeAddresses: [] })
    },

    async activate(webhookId) {
      const { alchemy } = await loaded()
      await alchemy.notify.updateWebhook(webhookId, { isActive: true })
    },
  }
}

type Shown = { id: string; network: Network; url: string; isActive: boolean; signingKey: string; timeCreated: string }

const shown = ({ id, network, url, isActive, signingKey, timeCreated }: Shown): NotifyWebhook => ({
  id,
  chainId: chainsByNetwork.get(network) ?? null,
  url,
  isActive,
  signingKey,
  createdAt: Date.parse(timeCreated),
})

const chainsByNetwork = new Map<string, ChainId>(chainIds.map((id) => [chainOf(id).alchemyHost, id]))

/** The SDK throws for a wrong mixed-case checksum, and resolves text that is not hexadecimal as a name. */
const lower = (address: string): string => address.toLowerCase()
