import type { Server } from './server.ts'

export interface Change {
  readonly name: string
  readonly kind: 'started' | 'exited' | 'restarted' | 'failed'
  readonly pid: number | null
  readonly error?: string
}

export interface Supervised {
  /** The server that runs now, or the last one that did. */
  readonly server: Server
  stop(): Promise<void>
}

const backoffMsMin = 100
const backoffMsMax = 10_000

/** Keeps a server running. If it ends without a stop request, it is restarted on its data until that works. */
export async function supervise(
  name: string,
  start: () => Promise<Server>,
  onChange: (change: Change) => void = () => {},
): Promise<Supervised> {
  let server = await start()
  let isStopping = false
  const stopped = Promise.withResolvers<'stop'>()
  onChange({ name, kind: 'started', pid: server.pid })

  const keepRunning = async () => {
    for (let backoffMs = backoffMsMin; ; ) {
      const startedAt = performance.now()
      if ((await Promise.race([server.exited, stopped.promise])) === 'stop') return
      onChange({ name, kind: 'exited', pid: server.pid })
      if (performance.now() - startedAt > backoffMsMax) backoffMs = backoffMsMin
      while (!(await startAgain())) {
        if (isStopping) return
        await Promise.race([Bun.sleep(backoffMs), stopped.promise])
        backoffMs = Math.min(backoffMs * 2, backoffMsMax)
      }
    }
  }
  const startAgain = async (): Promise<boolean> => {
    try {
      if (isStopping) return false
      server = await start()
      onChange({ name, kind: 'restarted', pid: server.pid })
      return true
    } catch (error) {
      onChange({ name, kind: 'failed', pid: null, error: (error as Error).message })
      return false
    }
  }
  const supervision = keepRunning()
  return {
    get server() {
      return server
    },
    async stop() {
      isStopping = true
      stopped.resolve('stop')
      await supervision
      await server.stop()
    },
  }
}
