import { chainKeys, chains } from '../../domain/chain/chain'
import { devnetClock } from '../devnet-clock'
import type { Activity } from './activity'

export type AlchemyWebhook = {
  id: string
  network: string
  webhook_type: 'ADDRESS_ACTIVITY'
  webhook_url: string
  is_active: boolean
  time_created: number
  version: 'V2'
  signing_key: string
  /**
   * In lower case. Null until the first address is registered: until then the transfers to every account are posted,
   * except to the devnet's own.
   */
  addresses: Set<string> | null
}

export const alchemyToken = 'devnet-alchemy-token'

/** The webhooks of the team. There is one for each chain from the start. */
export class AlchemyWebhooks {
  readonly all: AlchemyWebhook[]

  /** @param watchesAll Reports all accounts without registration, for tests about something else. */
  constructor(webhookUrl: string, watchesAll = true) {
    this.all = chainKeys.map((key) => ({
      ...blank(chains[key].alchemyNetwork, webhookUrl),
      addresses: watchesAll ? null : new Set<string>(),
      id: `wh_devnet_${key}`,
      signing_key: `whsec_devnet_${key}`,
    }))
  }

  find(id: unknown): AlchemyWebhook | undefined {
    return this.all.find((webhook) => webhook.id === id)
  }

  listening(network: string): AlchemyWebhook[] {
    return this.all.filter((webhook) => webhook.network === network && webhook.is_active && webhook.webhook_url)
  }

  create(network: string, webhookUrl: string, addresses: readonly string[]): AlchemyWebhook {
    const webhook = { ...blank(network, webhookUrl), addresses: lowered(addresses) }
    this.all.push(webhook)
    // The chain's first webhook, if it still reports every account, would report the same a second time.
    for (const other of this.all) if (other.network === network && other.addresses === null) other.is_active = false
    return webhook
  }

  remove(webhook: AlchemyWebhook): void {
    this.all.splice(this.all.indexOf(webhook), 1)
  }

  get url(): string {
    return this.all.find(({ id }) => id.startsWith('wh_devnet_'))?.webhook_url ?? ''
  }

  setUrl(webhookUrl: string): void {
    for (const webhook of this.all) if (webhook.id.startsWith('wh_devnet_')) webhook.webhook_url = webhookUrl
  }
}

const lowered = (addresses: readonly string[]): Set<string> => new Set(addresses.map((each) => each.toLowerCase()))

export function updateAddresses(webhook: AlchemyWebhook, add: readonly string[], remove: readonly string[]): void {
  const addresses = webhook.addresses ?? new Set<string>()
  for (const each of lowered(add)) addresses.add(each)
  for (const each of lowered(remove)) addresses.delete(each)
  webhook.addresses = addresses
}

/** Whether a webhook reports an activity. Alchemy also reports transfers from an address. */
export const concerns = ({ addresses }: AlchemyWebhook, { fromAddress, toAddress }: Activity): boolean =>
  addresses === null || addresses.has(toAddress) || addresses.has(fromAddress)

function blank(network: string, webhook_url: string): AlchemyWebhook {
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 16)
  return {
    id: `wh_${id}`,
    network,
    webhook_type: 'ADDRESS_ACTIVITY',
    webhook_url,
    is_active: true,
    time_created: devnetClock(),
    version: 'V2',
    signing_key: `whsec_${crypto.randomUUID().replaceAll('-', '')}`,
    addresses: null,
  }
}
