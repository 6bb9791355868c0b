/** Whether a server answers at an address, with any status. It takes three seconds at most. */
export async function isReachable(url: string): Promise<boolean> {
  return fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(3000) }).then(
    () => true,
    () => false,
  )
}
