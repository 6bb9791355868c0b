/** One running server of the devnet, with every process that belongs to it. */
export interface Server {
  readonly kind: string
  readonly url: string
  /** The process that answers at `url`; null when the environment named the server and it is not ours. */
  readonly pid: number | null
  /** Resolves when it is gone, stopped or not; never for a server that is not ours. */
  readonly exited: Promise<number>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly dataDir: string
  readonly port?: number
  readonly report?: Report
}

/** Takes one finished or begun step, in a line. */
export type Report = (line: string) => void

export function externalServer(url: string): Server {
  return { kind: 'given', url, pid: null, exited: new Promise(() => {}), stop: async () => {} }
}
