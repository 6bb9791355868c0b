import { readFileSync } from 'node:fs'
import { tokenOf } from '../src/devnet/chains/tokens'
import { type ChainKey, chainKeys, chains } from '../src/domain/chain/chain'
import type { Address } from '../src/domain/chain/hex'
import { depositIdOf, type Execution } from '../src/domain/execution/execution'
import { onRig, percentile, type Rig } from './rig'

const latencyCount = 50
const throughputCount = 1_000
const usersCount = 200
const warmUpCount = 10
const withinMs = 600_000

export type Sent = { chainKey: ChainKey; account: Address; amountRaw: bigint }

/** Sends deposits one at a time and then a thousand at once, and measures the service's memory after that. */
export const deposits = (): Promise<string[]> =>
  onRig(async (rig) => {
    const accounts = await Promise.all(Array.from({ length: usersCount }, (_, n) => rig.newUser(`bench-${n}`)))
    const one = (n: number): Sent => ({
      chainKey: chainKeys[n % chainKeys.length]!,
      account: accounts[Math.floor(n / chainKeys.length) % accounts.length]!,
      amountRaw: BigInt(20_000_000 + n),
    })
    for (let n = 0; n < warmUpCount; n++) await carried(rig, [one(n)])

    const took: number[] = []
    for (let n = 0; n < latencyCount; n++) {
      const [execution] = await carried(rig, [one(n)])
      took.push(execution!.completedAt! - execution!.history[0]!.at)
    }

    const startedAt = performance.now()
    const all = await carried(
      rig,
      Array.from({ length: throughputCount }, (_, n) => one(n)),
    )
    const seconds = (performance.now() - startedAt) / 1_000
    const succeeded = all.filter(({ status }) => status === 'SUCCESS').length
    const megabytes = residentBytes(rig.installation.server('service').pid!) / 2 ** 20
    const waited = all.map(({ completedAt, history }) => completedAt! - history[0]!.at)
    return [
      `confirmed deposit to SUCCESS, one at a time: p50 ${percentile(took, 0.5)} ms, p95 ${percentile(took, 0.95)} ms`,
      `${throughputCount} deposits on ${chainKeys.length} chains, sent at once: ${(throughputCount / seconds).toFixed(1)} a second ` +
        `end to end (${seconds.toFixed(1)} s, ${succeeded} SUCCESS), confirmed to SUCCESS p50 ${(percentile(waited, 0.5) / 1_000).toFixed(1)} s`,
      `memory of the service after it: ${megabytes.toFixed(0)} MiB resident`,
    ]
  })

/** Sends all deposits and waits until each has ended. @returns their records. */
export async function carried({ installation: { devnet }, load }: Rig, sent: readonly Sent[]): Promise<Execution[]> {
  const ids = await Promise.all(
    sent.map(async ({ chainKey, account, amountRaw }) => {
      const hash = await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw, to: account })
      const { logs } = await devnet.waitForReceipt(chainKey, hash)
      const { address } = tokenOf(chains[chainKey].id, 'USDC')!
      const log = logs.find((each) => each.address.toLowerCase() === address.toLowerCase())
      return depositIdOf(chains[chainKey].id, hash, Number(log!.logIndex))
    }),
  )
  const open = new Set(ids)
  const ended: Execution[] = []
  const deadline = performance.now() + withinMs
  while (open.size > 0) {
    if (performance.now() > deadline) throw new Error(`${open.size} of ${sent.length} deposits have not ended`)
    for (const execution of await load([...open].slice(0, 100)))
      if (execution.completedAt !== null && open.delete(execution.id)) ended.push(execution)
    await Bun.sleep(sent.length > 1 ? 250 : 20)
    if (open.size > 100) rotate(open)
  }
  return ended
}

/** Orders the open deposits so that the one checked last comes last. */
function rotate(open: Set<string>): void {
  for (const id of [...open].slice(0, 100)) {
    open.delete(id)
    open.add(id)
  }
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1_024
}
