import { EMPTY, lastValueFrom, merge, Subject, takeUntil } from 'rxjs'
import { type ChainId, chainKeyOf, chainOf, perChain } from '../domain/chain'
import { type Detector, detectors } from '../domain/execution'
import type { Address, Hash } from '../domain/hex'
import { isNative, type TokenList } from '../domain/token'
import type { Block, Chains } from '../ports/chain-client'
import type { DepositNews } from '../ports/deposit-news'
import type { ScanCursor, ScanCursors, Sightings } from '../ports/detection'
import type { Executions } from '../ports/executions'
import type { Signs } from '../ports/overdue'
import type { Refunds } from '../ports/refunds'
import type { Accounts } from '../ports/tenants'
import type { Pointers, Wakes } from '../ports/wakes'
import { addressMap } from './address-map'
import { halfBlock, oneBlock } from './beat'
import { followPointers } from './follow-pointers'
import { intake } from './intake'
import { readRange } from './read-range'
import { readTransaction } from './read-transaction'
import { rescan } from './rescan'
import { sweepBalances } from './sweep-balances'
import { type Work, watchChain } from './watch-chain'
import { scannedTo as watermarkOf } from './watermark'

export type DetectionTrouble = { chainId: ChainId | null; work: Work | 'pointers' | 'wake'; error: unknown }
export type DetectionPorts = DepositNews & {
  chains: Chains
  /** The chains that are watched: those that have a node. */
  watched: readonly ChainId[]
  accounts: Accounts
  executions: Executions
  sightings: Sightings
  cursors: ScanCursors
  wakes: Wakes
  /** Null where no webhook can come. */
  pointers: Pointers | null
  tokens: TokenList
  now: () => number
  machineVersion: string
  /** Tokens whose transfers are looked for besides the list's: those on the security list, say. */
  alsoScanned?: (chainId: ChainId) => readonly Address[]
  fromBlock?: (chainId: ChainId) => number | null
  scanBeatMs?: (chainId: ChainId) => number
  sweepBeatMs?: (chainId: ChainId) => number
  /** Whose money a bridge sends back. */
  refunds?: Refunds
  signs?: Pick<Signs, 'note'>
  isPending?: (chainId: ChainId, txHash: Hash) => Promise<boolean>
  onTrouble: (trouble: DetectionTrouble) => void
  onRecovered: (chainId: ChainId, work: Work) => void
  /** A block that was called confirmed is another one now. */
  onReorg: (chainId: ChainId, cursor: ScanCursor, found: Block) => void
}

export type Detection = ReturnType<typeof createDetection>

/** How deposits are found: webhooks, an own scanner and a balance sweep, which know nothing of each other. */
export function createDetection(ports: DetectionPorts) {
  const { chains, watched, executions, cursors, tokens, onTrouble, onRecovered, onReorg } = ports
  const accounts = addressMap(ports)
  const taking = intake({ ...ports, onTrouble: (error) => onTrouble({ chainId: null, work: 'wake', error }) })
  const scannedTo = watermarkOf(cursors)

  const listed = perChain((chainId) =>
    tokens.all.filter((token) => token.chainId === chainId && !isNative(token.address)).map(({ address }) => address),
  )
  const tokensOf = (chainId: ChainId): readonly Address[] => {
    const also = ports.alsoScanned?.(chainId) ?? []
    return also.length === 0 ? listed[chainId] : [...new Set([...listed[chainId], ...also])]
  }
  const isScanned = (chainId: ChainId, token: Address): boolean =>
    tokens.find(chainId, token) !== null ||
    tokensOf(chainId).some((address) => address.toLowerCase() === token.toLowerCase())

  const parts = { accounts, executions, intake: taking }
  const sweeps = perChain(
    (id) =>
      sweepBalances({
        ...parts,
        chain: chains[id],
        scannedTo: () => scannedTo(id),
        onTrouble: (error) => onTrouble({ chainId: id, work: 'sweep', error }),
      }).sweep,
  )
  const read = readTransaction({ ...parts, chains, isScanned, scannedTo })
  const ranges = perChain((id) =>
    readRange({
      ...parts,
      chain: chains[id],
      tokens: () => tokensOf(id),
      scannedTo: () => scannedTo(id),
      sweep: sweeps[id],
    }),
  )
  const watches = new Map(
    watched.map((chainId) => [
      chainId,
      watchChain({
        ...ports,
        ...parts,
        chain: chains[chainId],
        tokens: () => tokensOf(chainId),
        sweep: sweeps[chainId],
        fromBlock: ports.fromBlock?.(chainId) ?? null,
        scanBeatMs: (ports.scanBeatMs ?? halfBlock)(chainId),
        sweepBeatMs: (ports.sweepBeatMs ?? oneBlock)(chainId),
        onTrouble: (work, error) => onTrouble({ chainId, work, error }),
        onRecovered: (work) => onRecovered(chainId, work),
        onReorg: (cursor, found) => onReorg(chainId, cursor, found),
      }),
    ]),
  )

  const stopped = new Subject<void>()
  const stopping = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  function start(): void {
    const follow = ports.pointers
      ? followPointers({
          pointers: ports.pointers,
          read,
          ring: (chainId, account, token) => watches.get(chainId)?.ring(account, token),
          ringScan: (chainId) => watches.get(chainId)?.ringScan(),
          onTrouble: (chainId, error) => onTrouble({ chainId, work: 'pointers', error }),
          telemetry: ports.telemetry,
        })
      : EMPTY
    accounts.joined.pipe(takeUntil(stopped)).subscribe((joined) => {
      for (const watch of watches.values()) watch.join(joined)
    })
    const beats = [...watches.values()].map((watch) => watch.run(stopped, stopping.signal))
    running = lastValueFrom(merge(...beats, follow.pipe(takeUntil(stopped))), { defaultValue: null })
    running.catch((error) => onTrouble({ chainId: null, work: 'pointers', error }))
  }

  return {
    start,
    /** Every deposit address there is, and each new one. */
    accounts,
    /** Resolves when what was under way has ended. */
    async stop(): Promise<void> {
      stopping.abort()
      stopped.next()
      await running.catch(() => {})
    },
    rescan: rescan({
      read,
      executions,
      sweep: (chainId, token, addresses) => sweeps[chainId](token, addresses),
      isPending: ports.isPending ?? (async () => false),
    }),
    /** Reads blocks again that were read before. */
    readRange: (chainId: ChainId, fromBlock: number, toBlock: number) => ranges[chainId](fromBlock, toBlock),
    /** Up to where every logged deposit of a chain is recorded: the same for every process. */
    scannedTo,
    ringScan: (chainId: ChainId): void => watches.get(chainId)?.ringScan(),
    watchOf: (chainId: ChainId) => watches.get(chainId) ?? null,
    /** Without asking anybody: for metrics. */
    metrics: () => ({
      accounts: accounts.size,
      lastSeenAt: Object.fromEntries(detectors.map((detector) => [detector, taking.lastSeenAt(detector)])) as Record<
        Detector,
        number | null
      >,
      chains: watched.flatMap((chainId) => {
        const seen = watches.get(chainId)?.seen
        if (!seen) return []
        const { head, scannedBlock, at } = seen
        return [
          {
            chainId,
            chainKey: chainKeyOf(chainId),
            scannedBlock,
            headBlock: head.number,
            lagBlocks: head.number - scannedBlock,
            at,
          },
        ]
      }),
    }),
    /** How far a chain is read, from the store and its node. Null before the first scan. */
    async coverageOf(chainId: ChainId) {
      const cursor = await cursors.load(chainKeyOf(chainId))
      if (!cursor) return null
      const [head, scanned] = await Promise.all([chains[chainId].head(), chains[chainId].blockAt(cursor.scannedBlock)])
      return {
        chainId,
        scannedBlock: cursor.scannedBlock,
        scannedBlockHash: cursor.scannedBlockHash,
        headBlock: head.number,
        lagBlocks: Math.max(0, head.number - cursor.scannedBlock),
        lagSeconds: scanned ? Math.max(0, head.time - scanned.time) : null,
        updatedAt: cursor.updatedAt,
      }
    },
  }
}
