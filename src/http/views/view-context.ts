import { aged } from '../../domain/aged'
import { type ChainId, chainIds, chainKeyOf } from '../../domain/chain/chain'
import type { TokenList } from '../../domain/money/token'
import type { ChainClient } from '../../ports/chain-client'
import type { ScanCursors } from '../../ports/detection'
import type { Caller } from '../request/caller'
import type { ViewContext } from './deposit'

export type ViewContextPorts = {
  tokens: TokenList
  chains: Record<ChainId, Pick<ChainClient, 'confirmations'>>
  scanCursors: Pick<ScanCursors, 'load'>
  now: () => number
}

const freshMs = 1_000

/** Provides the facts that views show and no record holds: confirmations, token symbols, the time. */
export function viewContext({ tokens, chains, scanCursors, now }: ViewContextPorts) {
  const scannedBlocks = aged(
    async () => {
      const cursors = await Promise.all(chainIds.map((id) => scanCursors.load(chainKeyOf(id))))
      return new Map(chainIds.map((id, n) => [id, cursors[n]?.scannedBlock ?? 0]))
    },
    { now, forMs: freshMs, from: 'END' },
  )

  return async ({ tenant }: Pick<Caller, 'tenant'>): Promise<ViewContext> => {
    const scanned = await scannedBlocks.get()
    return {
      findToken: tokens.find.bind(tokens),
      confirmationsRequired: (id) => chains[id].confirmations,
      scannedBlock: (id) => scanned.get(id)!,
      now: now(),
      isPlatform: tenant === null,
    }
  }
}
export type ViewContextFor = ReturnType<typeof viewContext>
