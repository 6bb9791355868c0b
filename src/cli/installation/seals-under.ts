import { hmacSeals } from '../../adapters/hmac-seals'
import { isIntentMacKey } from '../../app/config/config-keys'
import type { Hex } from '../../domain/chain/hex'
import type { Seals } from '../../domain/seals'
import { Failure } from '../terminal/failure'

/** What INTENT_MAC_KEY names: the service's own seals. @throws {Failure} for anything else, without saying it. */
export function sealsUnder(keys: string | undefined): Seals {
  if (!keys) throw new Failure('INTENT_MAC_KEY is required: the key under which the service seals intents.')
  if (!isIntentMacKey(keys)) throw new Failure('INTENT_MAC_KEY must be 0x and 64 hexadecimal digits, or several.')
  return hmacSeals(keys.split(',') as Hex[])
}
