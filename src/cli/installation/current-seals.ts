import type { Seals } from '../../domain/seals'
import { readDevnetFile } from './devnet-file'
import { sealsWith } from './seals'

/**
 * The seals of the service whose database a command changes: the environment's, or those of the demo that runs here.
 */
export const currentSeals = (
  { INTENT_MAC_KEY, MONGODB_URL }: Record<string, string | undefined> = process.env,
): Seals => sealsWith(INTENT_MAC_KEY || (MONGODB_URL ? undefined : readDevnetFile().intentMacKey))
