type Seen = { healthy: boolean; credentialsRefusedAt: string | null }

/** How a provider does, in the one word that the pages and the command line have for it. */
export const providerStateOf = ({ healthy, credentialsRefusedAt }: Seen): string =>
  credentialsRefusedAt !== null ? 'refuses our credentials' : healthy ? 'healthy' : 'failing'
