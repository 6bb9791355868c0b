/** A running server of the devnet, with every process that belongs to it. */
export interface Server {
  readonly kind: string
  readonly url: string
  /** The id of the process that answers at `url`, or null if the environment named a server that is not ours. */
  readonly pid: number | null
  /** Resolves when the server has ended, for any reason. It never resolves for a server that is not ours. */
  readonly exited: Promise<number>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly dataDir: string
  readonly port?: number
  readonly report?: Report
  /** Whether the data is removed with the run, so that no write has to outlast a failure of the machine. */
  readonly isDisposable?: boolean
}

/** Is called with one line about what began or was finished. */
export type Report = (line: string) => void

export function externalServer(url: string): Server {
  return { kind: 'given', url, pid: null, exited: new Promise(() => {}), stop: async () => {} }
}
