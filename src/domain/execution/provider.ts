/**
 * The routing providers in order of preference, and what each calls itself. Whatever exists once for each provider is
 * typed by these keys.
 */
export const providers = {
  lifi: { name: 'LI.FI' },
  relay: { name: 'Relay' },
} as const satisfies Record<string, { name: string }>

export type ProviderKey = keyof typeof providers
export const providerKeys = Object.keys(providers) as ProviderKey[]

const isProvider = (key: string): key is ProviderKey => Object.hasOwn(providers, key)

/** What a routing provider calls itself; one that is not in the table, by its key. */
export const providerName = (key: string): string => (isProvider(key) ? providers[key].name : key)

type Seen = { healthy: boolean; credentialsRefusedAt: string | null }

/** Returns the state of a provider in the words that the pages and the command line show. */
export const providerStateOf = ({ healthy, credentialsRefusedAt }: Seen): string =>
  credentialsRefusedAt !== null ? 'refuses our credentials' : healthy ? 'healthy' : 'failing'
