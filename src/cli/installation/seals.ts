import { hmacSeals } from '../../adapters/hmac-seals'
import { isIntentMacKey } from '../../app/config/config-keys'
import type { Hex } from '../../domain/chain/hex'
import type { Seals } from '../../domain/seals'
import { Failure } from '../terminal/failure'

/** Returns the seals for a value of INTENT_MAC_KEY. @throws {Failure} for an invalid value, without naming it. */
export function sealsWith(keys: string | undefined): Seals {
  if (!keys) throw new Failure('INTENT_MAC_KEY is required: the key under which the service seals intents.')
  if (!isIntentMacKey(keys))
    throw new Failure(
      'INTENT_MAC_KEY must be 0x and 64 hexadecimal digits, or several such keys with commas between them.',
    )
  return hmacSeals(keys.split(',') as Hex[])
}
