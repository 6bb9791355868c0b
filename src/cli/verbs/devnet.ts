import { demo } from './demo'

/** Starts the servers and the chains without the service, and writes the environment that the service needs. */
export const devnet = (options: { port?: number | undefined }): Promise<number> =>
  demo({ ...options, service: false, deposits: false })
