import { useQueryClient } from '@tanstack/react-query'
import { askAuth } from './api'

/** Returns what signs the person out and forgets all that was read. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await askAuth('sign-out', {})
    client.clear()
    window.location.assign('/app')
  }
}
