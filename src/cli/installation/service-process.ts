import { join } from 'node:path'
import type { Server } from '../../devnet/servers/server'
import { spawnChild } from '../../devnet/servers/spawn-child'
import { startMsMax } from '../../devnet/servers/until-ready'
import { Failure } from '../terminal/failure'

const root = join(import.meta.dir, '..', '..', '..')
/** The limit in deploy/. */
const drainMsMax = 40_000
const readyAnswerMsMax = 10_000
const tailLines = 6
/**
 * Options of JavaScriptCore, as in the image. The garbage collector assumes 128 MiB of memory, which keeps the heap
 * small on a large machine. A heap of the service's size would then be scanned whole in every second collection, which
 * costs a fifth of all processor time. With this ratio that happens only after the heap has grown by a quarter. The
 * last compiler waits until code has run five times as often as by default: in a burst it took a tenth of all processor
 * time, and the code was hardly faster afterwards.
 */
export const engineOptions = {
  BUN_JSC_forceRAMSize: `${128 * 2 ** 20}`,
  BUN_JSC_minEdenToOldGenerationRatio: '0.15',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '300000',
}

type ServiceOptions = {
  env: Record<string, string | undefined>
  port: number
  /** The file that receives its log lines. */
  log: string
  /** The folder of another release of the service. */
  folder?: string
}

/** Starts the service as in production, in a separate process with this environment, and waits until it is ready. */
export async function startService({ env, port, log, folder = root }: ServiceOptions): Promise<Server> {
  const from = Bun.file(log).size
  const child = spawnChild([process.execPath, 'src/main.ts'], {
    cwd: folder,
    env: { ...engineOptions, ...env },
    log,
  })
  const url = `http://127.0.0.1:${port}`
  // Another program might answer on the port, so the service's own log must report that it listens.
  const isListening = async () => env['LOG_LEVEL'] !== undefined || (await logText()).includes(`"event":"STARTED"`)
  const logText = () => Bun.file(log).slice(from).text()
  const until = performance.now() + startMsMax
  let code: number | null = null
  void child.exited.then((exitCode) => {
    code = exitCode
  })
  while (code === null && performance.now() < until) {
    if ((await isListening()) && (await isReady(url)))
      return {
        kind: 'service',
        url,
        pid: child.pid,
        exited: child.exited,
        stop: () => child.stop('SIGTERM', drainMsMax),
      }
    await Bun.sleep(50)
  }
  await child.stop('SIGKILL')
  const last = (await logText()).trim().split('\n').slice(-tailLines).join('\n')
  const why = code === null ? `is not ready after ${startMsMax / 1000} s` : `ended with code ${code}`
  throw new Failure(`The service ${why}; it wrote:\n${last || '(nothing)'}`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(readyAnswerMsMax) })).ok
  } catch {
    return false
  }
}
