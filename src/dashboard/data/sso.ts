import { askAuth } from './api'

type Whose = { email: string; asAnother?: boolean } | { again: true; beside?: true }

const urlAt = async (whose: Whose): Promise<string> => (await askAuth<{ url: string }>('sso/start', whose)).url

/**
 * Sends the browser to the provider of an address, or to that of this session to sign in there again. `asAnother` has
 * the provider ask who signs in, even if somebody is signed in there.
 */
export async function goToProvider(whose: Whose): Promise<void> {
  window.location.assign(await urlAt(whose))
}

/**
 * Has the person sign in again at the provider of this session, in a window beside this page, which keeps what was
 * typed. It must be called by a click, since browsers open no other windows.
 *
 * @returns whether the browser opened one.
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

/** Tells the other windows of this browser that somebody came back from a provider. */
export function tellSignedIn(): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage('done')
  channel.close()
}

/** Calls back when that is told, and whenever this window is looked at again. Returns how that is taken back. */
export function onSignedIn(callBack: () => void): () => void {
  const told = () => callBack()
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', told)
  window.addEventListener('focus', told)
  return () => {
    channel.close()
    window.removeEventListener('focus', told)
  }
}
