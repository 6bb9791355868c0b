import { demo } from './demo'

/** Chains and servers without the service, and the environment it would need. */
export const devnet = (options: { port?: number | undefined }): Promise<number> =>
  demo({ ...options, service: false, deposits: false })
