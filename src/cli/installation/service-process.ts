import { join } from 'node:path'
import type { Server } from '../../devnet/servers/server'
import { spawnChild } from '../../devnet/servers/spawn-child'
import { Failure } from '../terminal/failure'

const root = join(import.meta.dir, '..', '..', '..')
const readyWithinMs = 180_000
/** As in deploy/. */
const drainMsMax = 40_000
const tailLines = 6
/**
 * Options of JavaScriptCore, as in the image. Its garbage collector is told that the machine has 128 MiB, so that the
 * heap stays small on a large one. A heap of the service's size would then be walked through whole at every second
 * collection, which costs a fifth of all processor time; with this ratio that happens once the heap has grown by a
 * quarter. The last of its compilers waits until code has run five times as often as by default: in a burst it took a
 * tenth of all processor time, and the code was hardly faster afterwards.
 */
export const engineOptions = {
  BUN_JSC_forceRAMSize: `${128 * 2 ** 20}`,
  BUN_JSC_minEdenToOldGenerationRatio: '0.15',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '300000',
}

type ServiceOptions = {
  env: Record<string, string | undefined>
  port: number
  /** The file to which its log lines are appended. */
  log: string
}

/** Starts the service as in production, in a process of its own with this environment, and waits until it is ready. */
export async function startService({ env, port, log }: ServiceOptions): Promise<Server> {
  const from = Bun.file(log).size
  const child = spawnChild([process.execPath, 'src/main.ts'], {
    cwd: root,
    env: { ...engineOptions, ...env },
    log,
  })
  const url = `http://127.0.0.1:${port}`
  // Another program may listen on the port and answer, so the service's own log must say that it listens.
  const isListening = async () => env['LOG_LEVEL'] !== undefined || (await logText()).includes(`"event":"STARTED"`)
  const logText = () => Bun.file(log).slice(from).text()
  const until = performance.now() + readyWithinMs
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
    await Bun.sleep(10)
  }
  await child.stop('SIGKILL')
  const last = (await logText()).trim().split('\n').slice(-tailLines).join('\n')
  const why = code === null ? `is not ready after ${readyWithinMs / 1000} s` : `ended with code ${code}`
  throw new Failure(`The service ${why}; it wrote:\n${last || '(nothing)'}`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}
