/** A running server of the devnet, with every process that belongs to it. */
export interface Server {
  readonly kind: string
  readonly url: string
  /** The id of the process that listens at `url`, or null if the environment named an external server. */
  readonly pid: number | null
  /** Resolves when the server has ended, for any reason. It never resolves for an external server. */
  readonly exited: Promise<number>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly dataDir: string
  readonly port?: number
  readonly report?: Report
  /** Whether the data is removed with the run. Writes then need not survive a failure of the machine. */
  readonly isDisposable?: boolean
}

/** Called with one line about a step that started or ended. */
export type Report = (line: string) => void

export function externalServer(url: string): Server {
  return { kind: 'given', url, pid: null, exited: new Promise(() => {}), stop: async () => {} }
}
