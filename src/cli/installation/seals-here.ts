import type { Seals } from '../../domain/seals'
import { readDevnetFile } from './devnet-file'
import { sealsUnder } from './seals-under'

/** The seals of the service whose database is worked on: of the environment's, or of the demo that runs here. */
export const sealsHere = ({ INTENT_MAC_KEY, MONGODB_URL }: Record<string, string | undefined> = process.env): Seals =>
  sealsUnder(INTENT_MAC_KEY || (MONGODB_URL ? undefined : readDevnetFile().intentMacKey))
