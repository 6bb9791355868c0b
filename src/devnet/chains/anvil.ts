import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ChainId, ChainKey } from '../../domain/chain/chain'
import { devnetClock } from '../devnet-clock'
import { Rpc } from '../rpc/rpc'
import { freePort } from '../servers/free-port'
import { type Child, spawnChild } from '../servers/spawn-child'
import { startMsMax } from '../servers/until-ready'

export type Anvil = { rpc: Rpc; port: number; pid: number; exited: Promise<number>; stop(): Promise<void> }

type AnvilOptions = { key: ChainKey; id: ChainId; dir: string; genesisTime: number; port?: number }

const startsMax = 3

/**
 * Starts a chain on loopback that mines a block a second. `block-producer.ts` mines faster while there is traffic. If
 * no port is given and the chosen free port is taken by the time of the start, another one is tried.
 */
export async function startAnvil(options: AnvilOptions, startsLeft = startsMax): Promise<Anvil> {
  const { port = await freePort() } = options
  try {
    return await startOn(port, options)
  } catch (error) {
    if (options.port !== undefined || startsLeft === 1) throw error
    return startAnvil(options, startsLeft - 1)
  }
}

async function startOn(port: number, { key, id, dir, genesisTime }: AnvilOptions): Promise<Anvil> {
  const child = spawnChild(
    [
      anvilProgram(),
      '--host',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--chain-id',
      `${id}`,
      '--timestamp',
      `${genesisTime}`,
      // With a later hard fork, a block takes 60 times as long. Without pruning, anvil writes a file for each block.
      '--hardfork',
      'cancun',
      '--prune-history',
      '64',
      '--cache-path',
      join(dir, 'cache'),
      '--block-time',
      '1',
      '--gas-limit',
      '60000000',
      '--accounts',
      '1',
      '--balance',
      '0',
      '--quiet',
    ],
    { log: join(dir, `anvil-${key}.log`), env: { ...process.env, HOME: dir } },
  )
  const rpc = new Rpc(`http://127.0.0.1:${port}`)
  await ready(rpc, id, key, child)
  return { rpc, port, pid: child.pid, exited: child.exited, stop: () => child.stop() }
}

/** The path of anvil itself. npm's `anvil` is a wrapper in Node, and killing it does not kill anvil. */
function anvilProgram(): string {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const require = createRequire(import.meta.url)
  const manifest = require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/package.json`)
  return join(dirname(manifest), 'bin', 'anvil')
}

async function ready(rpc: Rpc, id: ChainId, key: ChainKey, child: Child): Promise<void> {
  let dead = false
  child.exited.then(() => {
    dead = true
  })
  for (const deadline = devnetClock() + startMsMax; ; await Bun.sleep(20)) {
    const answer = await rpc.ask('eth_chainId').catch(() => null)
    if (answer !== null && Number(answer) === id) return
    if (answer !== null || dead || devnetClock() > deadline) {
      const why = answer === null ? child.tail() : `its port answers for chain ${Number(answer)}`
      await child.stop()
      throw new Error(`The devnet's ${key} chain did not start: ${why}`)
    }
  }
}
