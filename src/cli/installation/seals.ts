import { hmacSeals } from '../../adapters/hmac-seals'
import { isIntentMacKey } from '../../app/config/config-keys'
import type { Hex } from '../../domain/chain/hex'
import type { Seals } from '../../ports/seals'
import { Failure } from '../terminal/failure'
import { readDevnetFile } from './devnet-file'

/**
 * The seals of the service whose database a command changes: the environment's, or those of the demo that runs here.
 */
export const currentSeals = (
  { INTENT_MAC_KEY, MONGODB_URL }: Record<string, string | undefined> = process.env,
): Seals => sealsWith(INTENT_MAC_KEY || (MONGODB_URL ? undefined : readDevnetFile().intentMacKey))

/** The seals for a value of INTENT_MAC_KEY. @throws {Failure} for a wrong value, which the message does not contain. */
export function sealsWith(keys: string | undefined): Seals {
  if (!keys) throw new Failure('INTENT_MAC_KEY is required: the key under which the service seals intents.')
  if (!isIntentMacKey(keys))
    throw new Failure(
      'INTENT_MAC_KEY must be 0x and 64 hexadecimal digits, or several such keys with commas between them.',
    )
  return hmacSeals(keys.split(',') as Hex[])
}
