import { askAuth } from './api'

type Whose = { email: string; asAnother?: boolean } | { again: true; beside?: true }

const urlAt = async (whose: Whose): Promise<string> => (await askAuth<{ url: string }>('sso/start', whose)).url

/**
 * Sends the browser to the provider of an e-mail address, or to this session's provider to sign in there again. With
 * `asAnother`, the provider shows its choice of accounts even if an account is signed in there.
 */
export async function goToProvider(whose: Whose): Promise<void> {
  window.location.assign(await urlAt(whose))
}

/**
 * Opens this session's provider in a second window to sign in again, so this page keeps its input. Call it from a
 * click: otherwise browsers open no window.
 *
 * @returns whether the browser opened a window.
 */
export async function goToProviderBeside(): Promise<boolean> {
  const beside = window.open('', '_blank')
  if (!beside) return false
  beside.opener = null
  try {
    beside.location.assign(await urlAt({ again: true, beside: true }))
  } catch (error) {
    beside.close()
    throw error
  }
  return true
}

const channelName = 'switchyard sign-in'

/** Notifies this browser's other windows of a return from a provider. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage('done')
  channel.close()
}

/** Calls back on that notification, and whenever this window becomes visible. Returns a function that unsubscribes. */
export function onSignedIn(callBack: () => void): () => void {
  const notified = () => callBack()
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', notified)
  window.addEventListener('focus', notified)
  return () => {
    channel.close()
    window.removeEventListener('focus', notified)
  }
}
