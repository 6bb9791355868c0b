import { privateKeyToAccount } from 'viem/accounts'
import { keccak256, stringToHex } from 'viem/utils'

/**
 * The account that signs drafts. Its key is public and no executor accepts it, so such a signature is worthless on
 * chain. Only a gas estimate overrides the executor to accept it, so that no valid signature exists for an order that
 * is not to be sent.
 */
export const draftAccount = privateKeyToAccount(keccak256(stringToHex('switchyard: the key of drafts, worth nothing')))
