/** Finds out within seconds whether there is a way out to an address, whatever it says. */
export async function isReachable(url: string): Promise<boolean> {
  return fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(3000) }).then(
    () => true,
    () => false,
  )
}
