/** Whether a server responds at an address within three seconds, with any status. */
export async function isReachable(url: string): Promise<boolean> {
  return fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(3000) }).then(
    () => true,
    () => false,
  )
}
