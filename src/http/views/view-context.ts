import { type ChainId, chainIds, chainKeyOf } from '../../domain/chain/chain'
import type { TokenList } from '../../domain/money/token'
import type { ChainClient } from '../../ports/chain-client'
import type { ScanCursors } from '../../ports/detection'
import type { Caller } from '../request/caller'
import type { ViewContext } from './deposit'

type ViewContextPorts = {
  tokens: TokenList
  chains: Record<ChainId, Pick<ChainClient, 'confirmations'>>
  scanCursors: Pick<ScanCursors, 'load'>
  now: () => number
}

const freshMs = 1_000

/** Provides the facts that views show and no record holds: confirmations, token symbols, the time. */
export function viewContext({ tokens, chains, scanCursors, now }: ViewContextPorts) {
  const scanned = new Map<ChainId, number>()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<unknown> | null = null

  const read = () =>
    Promise.all(
      chainIds.map(async (id) => {
        const cursor = await scanCursors.load(chainKeyOf(id))
        if (cursor) scanned.set(id, cursor.scannedBlock)
      }),
    ).finally(() => {
      readAt = now()
      reading = null
    })

  return async ({ tenant }: Pick<Caller, 'tenant'>): Promise<ViewContext> => {
    if (now() - readAt >= freshMs) {
      reading ??= read()
      await reading
    }
    return {
      findToken: tokens.find.bind(tokens),
      confirmationsRequired: (id) => chains[id].confirmations,
      scannedBlock: (id) => scanned.get(id) ?? 0,
      now: now(),
      isPlatform: tenant === null,
    }
  }
}
export type ViewContextFor = ReturnType<typeof viewContext>
