type Seen = { healthy: boolean; credentialsRefusedAt: string | null }

/** Returns the state of a provider in the words that the pages and the command line show. */
export const providerStateOf = ({ healthy, credentialsRefusedAt }: Seen): string =>
  credentialsRefusedAt !== null ? 'refuses our credentials' : healthy ? 'healthy' : 'failing'
