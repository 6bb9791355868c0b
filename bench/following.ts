import { evmChain } from '../src/adapters/evm/chain-client'
import { chainKeys, chains, perChain } from '../src/domain/chain/chain'
import { addressOf } from '../test/support/deposits'
import { detectionWorld } from '../test/support/detection'

const looks = 300
/** How long until the next look, as `pace.ts` has it: while webhooks report everything, and while they do not. */
const lookSeconds = { 'webhooks healthy': 60, 'without webhooks': 4.5 } as const
const accounts = 1_000
const { base } = chains

/**
 * Measures what following an idle chain takes of the processor, with a real client over HTTP and a node in another
 * process: each look reads the head, the confirmed block, its logs and the balances of native coin. Records are kept in
 * memory. What the database adds is not counted. The node is one of Base; a look at another chain asks the same.
 */
export async function following(): Promise<string[]> {
  const node = Bun.spawn([process.execPath, `${import.meta.dir}/idle-node.ts`], { stdout: 'pipe' })
  try {
    const { value } = await node.stdout.getReader().read()
    const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`
    const lines: string[] = []
    for (const [how, seconds] of Object.entries(lookSeconds)) lines.push(await lineOf(url, how, seconds))
    return lines
  } finally {
    node.kill()
    await node.exited
  }
}

async function lineOf(url: string, how: string, seconds: number): Promise<string> {
  const [registry, executor, lens] = [addressOf(1), addressOf(2), addressOf(3)]
  const node = { chainId: base.id, rpcUrls: [url], confirmations: 10, registry, executor, lens, timeoutMs: 10_000 }
  const client = evmChain(node)
  const world = detectionWorld({ chains: perChain(() => client) })
  for (let n = 0; n < accounts; n++) world.accounts.create()
  const { watch } = world.detection
  const { signal } = new AbortController()
  const blocks = Math.round(seconds / base.blockSeconds)
  let [head, usedMs] = [2_000, 0]
  for (let n = -looks; n < looks; n++) {
    head += blocks
    await fetch(`${url}/head`, { method: 'POST', body: String(head) })
    world.clock.at += seconds * 1_000
    await Bun.sleep(20) // an answer is shared for so long
    const before = process.cpuUsage()
    await watch.scanOnce(signal)
    await watch.sweepOnce()
    const { user, system } = process.cpuUsage(before)
    if (n < 0) continue // until the code is compiled
    usedMs += (user + system) / 1_000
  }
  const each = usedMs / looks
  const perBlock = chainKeys.map((key) => `${key} ${((each * chains[key].blockSeconds) / seconds).toFixed(3)}`)
  const perSecond = chainKeys.reduce((sum, key) => sum + 1 / chains[key].blockSeconds, 0)
  const mean = (each * chainKeys.length) / (seconds * perSecond)
  return (
    `following an idle chain, ${how}: ${each.toFixed(2)} ms of processor for a look, for each block ` +
    `${mean.toFixed(3)} ms in the mean (${perBlock.join(', ')}), ${accounts} accounts, ${looks} looks`
  )
}
