import { scanBlocks } from '../src/detection/chains/scan-blocks'
import { addressMap } from '../src/detection/intake/address-map'
import type { Intake } from '../src/detection/intake/intake'
import type { Account } from '../src/domain/chain/account'
import { chains } from '../src/domain/chain/chain'
import type { Address, Hash } from '../src/domain/chain/hex'
import type { ChainClient, Transfer } from '../src/ports/chain-client'
import type { ScanCursor } from '../src/ports/detection'
import type { Executions } from '../src/ports/executions'
import type { Accounts } from '../src/ports/tenants'

const logsPerBlock = 200
const blocks = 5_000
/** One in this many transfers goes to one of our accounts. */
const oursOneIn = 1_000
const token: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bDA02913'
const block = (number: number) => ({ number, hash: `0x${number.toString(16).padStart(64, '0')}` as Hash, time: number })
const accountOf = (n: number): Address => `0xacc0${n.toString(16).padStart(36, '0')}`
const strangerOf = (n: number): Address => `0x5742${n.toString(16).padStart(36, '0')}`

/**
 * Measures how fast blocks are read with few and many accounts if the node responds immediately, and the cost of a
 * poll.
 */
export async function scanner(): Promise<string[]> {
  const lines: string[] = []
  for (const count of [1_000, 100_000, 1_000_000]) {
    Bun.gc(true)
    const rssBefore = process.memoryUsage().rss
    const map = addressMap({ accounts: accountsMade(count), now: () => 10 * count })
    await map.refresh()
    Bun.gc(true)
    const mebibytes = (process.memoryUsage().rss - rssBefore) / 2 ** 20

    const transfers = Array.from({ length: logsPerBlock * 50 }, (_, n): Transfer => {
      const to = n % oursOneIn === 0 ? accountOf(n % count) : strangerOf(n)
      return {
        token,
        from: strangerOf(1),
        to,
        amountRaw: 1n,
        txHash: block(n).hash,
        logIndex: 0,
        block: 1,
        blockHash: '0x',
      }
    })
    let taken = 0
    let head = blocks
    let cursor: ScanCursor = { id: 'base', version: 1, scannedBlock: 0, scannedBlockHash: block(0).hash, updatedAt: 0 }
    const chain = {
      chainId: chains.base.id,
      confirmations: 10,
      confirmed: async () => block(head),
      blockAt: async (number: number) => block(number),
      transfers: async (_tokens: unknown, from: number, to: number) => {
        const asked: Transfer[] = []
        for (let n = from; n <= to; n++)
          asked.push(...transfers.slice((n % 50) * logsPerBlock, ((n % 50) + 1) * logsPerBlock))
        return asked
      },
    } as unknown as ChainClient
    const { scan } = scanBlocks({
      chain,
      accounts: map,
      tokens: () => [token],
      now: () => 1,
      fromBlock: null,
      onReorg: () => {},
      intake: { confirmed: async () => void taken++ } as unknown as Intake,
      executions: { load: async () => ({}) } as unknown as Executions,
      cursors: {
        load: async () => cursor,
        save: async (next) => (cursor = { ...next, version: next.version + 1 }),
      },
    })
    const { signal } = new AbortController()
    const cpuBefore = process.cpuUsage()
    const startedAt = performance.now()
    await scan(signal)
    const seconds = (performance.now() - startedAt) / 1_000
    const cpu = process.cpuUsage(cpuBefore)
    const tickAt = performance.now()
    for (let n = 1; n <= 200; n++) {
      head = blocks + n
      await scan(signal)
    }
    const pollMs = (performance.now() - tickAt) / 200
    lines.push(
      `scanner, ${count.toLocaleString('en')} accounts: ${Math.round(blocks / seconds).toLocaleString('en')} blocks/s, ` +
        `${Math.round((blocks * logsPerBlock) / seconds).toLocaleString('en')} logs/s, ${taken} deposits, ` +
        `${((cpu.user + cpu.system) / 1e6).toFixed(2)} s of processor, map ${(map.bytes / 2 ** 20).toFixed(1)} MiB ` +
        `(process ${mebibytes.toFixed(0)} MiB), ${pollMs.toFixed(2)} ms for a poll that reads one block`,
    )
  }
  return lines
}

/** Returns accounts as the store does: in pages, in the order of their creation. */
function accountsMade(count: number): Accounts {
  const made = (n: number) => ({ id: accountOf(n), organizationId: 'org', userId: `${n}`, createdAt: n }) as Account
  return {
    createdSince: async (time: number, limit: number) => {
      const from = Math.max(0, Math.min(time, count))
      return Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, n) => made(from + n))
    },
    load: async (id: Address) => made(Number.parseInt(id.slice(6), 16)),
  } as unknown as Accounts
}
