import type { ChainClient } from '../../ports/chain-client'

/**
 * That a chain's node answers, and gets on: a head that has not changed for long is one that nothing may be concluded
 * from.
 */
export function freshHead({ head }: Pick<ChainClient, 'head'>, staleMs: number, now: () => number) {
  let last = { hash: '', at: 0 }
  return async (): Promise<void> => {
    const { hash, number } = await head()
    if (hash !== last.hash) last = { hash, at: now() }
    else if (now() - last.at > staleMs) throw new Error(`No block after ${number} for ${now() - last.at} ms`)
  }
}
