import { askAuth } from './api'

/** Sends the browser to the provider of an address, or to that of this session to sign in there again. */
export async function goToProvider(whose: { email: string } | { again: true }): Promise<void> {
  const { url } = await askAuth<{ url: string }>('sso/start', whose)
  window.location.assign(url)
}
