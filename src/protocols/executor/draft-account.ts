import { privateKeyToAccount } from 'viem/accounts'
import { keccak256, stringToHex } from 'viem/utils'

/**
 * Signs drafts. Everybody knows this key and no executor lists it: on a chain such a signature is worth nothing. Only
 * an estimate pretends that it were listed, so that no real signature is made for what is not to be sent.
 */
export const draftAccount = privateKeyToAccount(keccak256(stringToHex('switchyard: the key of drafts, worth nothing')))
