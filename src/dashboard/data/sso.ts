import { askAuth } from './api'

/**
 * Sends the browser to the provider of an address, or to that of this session to sign in there again. `asAnother` has
 * the provider ask who signs in, even if somebody is signed in there.
 */
export async function goToProvider(whose: { email: string; asAnother?: boolean } | { again: true }): Promise<void> {
  const { url } = await askAuth<{ url: string }>('sso/start', whose)
  window.location.assign(url)
}
