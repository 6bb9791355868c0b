import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { engineOptions } from '../src/cli/installation/service-process'
import { freePort } from '../src/devnet/servers/free-port'
import { spawnChild } from '../src/devnet/servers/spawn-child'
import { onRig, percentile } from './rig'

const root = join(import.meta.dir, '..')
const times = 7

/** Measures the time from the start of the process to its first 200, on a database that was used before. */
export const serverStart = (): Promise<string[]> =>
  onRig(async ({ installation, dir }) => {
    const took: number[] = []
    const cpu: number[] = []
    for (let n = 0; n < times; n++) {
      const port = await freePort()
      const env = { ...installation.serviceEnv(), PORT: `${port}` }
      const startedAt = performance.now()
      const child = spawnChild([process.execPath, 'src/main.ts'], {
        cwd: root,
        env: { ...engineOptions, ...env },
        log: join(dir, 'second.log'),
      })
      while (!(await isUp(`http://127.0.0.1:${port}/api/health`))) await Bun.sleep(5)
      took.push(performance.now() - startedAt)
      cpu.push(cpuMs(child.pid))
      await child.stop()
    }
    const [least, median] = [percentile(took, 0), percentile(took, 0.5)].map(Math.round)
    return [
      `server start to first 200: median ${median} ms of ${times}, best ${least} ms, ${percentile(cpu, 0.5)} ms of CPU`,
    ]
  })

/** Processor time of a process so far. Other load on the machine changes it little. */
function cpuMs(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
