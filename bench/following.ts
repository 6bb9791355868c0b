import { evmChain } from '../src/adapters/evm/chain-client'
import { productionPace } from '../src/app/parts/detection'
import { halfBlock, oneBlock } from '../src/detection/pace'
import { type ChainKey, chainKeys, chains, perChain } from '../src/domain/chain/chain'
import { addressOf } from '../test/support/deposits'
import { detectionWorld } from '../test/support/detection'
import { DetectionChain } from '../test/support/detection-chain'

/** Seconds of chain time for which each chain is followed. Both modes make about the same number of polls. */
const modes = {
  'webhooks healthy': { isFed: true, seconds: 9_000 },
  'without webhooks': { isFed: false, seconds: 900 },
}
type Mode = (typeof modes)[keyof typeof modes]
const accounts = 1_000

/**
 * Measures the processor time of following idle chains at production pace, with a real client over HTTP and a node in
 * another process. Time is simulated, so minutes pass in seconds. Records are in memory, so the database's part is not
 * counted.
 */
export async function following(): Promise<string[]> {
  const lines: string[] = []
  for (const [how, mode] of Object.entries(modes)) {
    const used = new Map<ChainKey, Used>()
    for (const key of chainKeys) used.set(key, await usedBy(key, mode))
    const all = [...used.values()]
    const seconds = (key: ChainKey) => mode.seconds * chains[key].blockSeconds ** -1
    const blocks = chainKeys.reduce((sum, key) => sum + seconds(key), 0)
    const mean = all.reduce((sum, { ms }) => sum + ms, 0) / blocks
    const looks = all.reduce((sum, one) => sum + one.looks, 0)
    const perLook = all.reduce((sum, { ms }) => sum + ms, 0) / looks
    const each = [...used].map(([key, { ms }]) => `${key} ${(ms / seconds(key)).toFixed(3)}`)
    lines.push(
      `following five idle chains, ${how}: ${mean.toFixed(3)} ms of processor for each block in the mean ` +
        `(${each.join(', ')}), ${perLook.toFixed(2)} ms for a look, ${looks} looks, ${accounts} accounts`,
    )
  }
  return lines
}

type Used = { ms: number; looks: number }

/** Follows a chain twice for the same time, and measures the second half, when the code is compiled. */
async function usedBy(key: ChainKey, { isFed, seconds }: Mode): Promise<Used> {
  const node = Bun.spawn([process.execPath, `${import.meta.dir}/idle-node.ts`, key], { stdout: 'pipe' })
  const realNow = performance.now
  try {
    const { value } = await node.stdout.getReader().read()
    const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`
    const { id, blockSeconds } = chains[key]
    const [registry, executor, lens] = [addressOf(1), addressOf(2), addressOf(3)]
    let looks = 0
    const client = evmChain({
      now: Date.now,
      chainId: id,
      rpcUrls: [url],
      confirmations: 10,
      registry,
      executor,
      lens,
      timeoutMs: 10_000,
    })
    const head = (maxAgeMs?: number) => {
      looks += 1
      return client.head(maxAgeMs)
    }
    const counting = { ...client, head }
    const world = detectionWorld(
      { chains: perChain(() => counting), watched: [id], pace: productionPace, isFed: () => isFed },
      new DetectionChain(id),
    )
    for (let n = 0; n < accounts; n++) world.accounts.create()
    const { watch } = world.detection
    const { signal } = new AbortController()
    const startedAt = world.clock.at
    performance.now = () => world.clock.at
    let [newest, sweptAt, looksBefore, usedMs] = [2_000, 0, 0, 0]
    for (let passedMs = 0; passedMs < 2 * seconds * 1_000; passedMs += halfBlock(id)) {
      world.clock.at = startedAt + passedMs
      const number = 2_000 + Math.floor(passedMs / (blockSeconds * 1_000))
      if (number > newest) await fetch(`${url}/head`, { method: 'POST', body: String(number) })
      newest = number
      const isWarm = passedMs >= seconds * 1_000
      if (!isWarm) looksBefore = looks
      const before = process.cpuUsage()
      await watch.scanDue(signal)
      if (sweptAt + oneBlock(id) <= world.clock.at) {
        sweptAt = world.clock.at
        await watch.sweepDue()
      }
      const { user, system } = process.cpuUsage(before)
      if (isWarm) usedMs += (user + system) / 1_000
    }
    return { ms: usedMs, looks: looks - looksBefore }
  } finally {
    performance.now = realNow
    node.kill()
    await node.exited
  }
}
