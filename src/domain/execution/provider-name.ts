const names: Record<string, string> = { lifi: 'LI.FI', relay: 'Relay' }

/** What a routing provider calls itself; one that is not named here, by its key. */
export const providerName = (provider: string): string => names[provider] ?? provider
