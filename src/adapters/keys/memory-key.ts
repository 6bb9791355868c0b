import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../domain/chain/hex'
import type { SigningKey } from '../../ports/signer'

/** A key in the memory of this process. */
export function memoryKey(privateKey: Hex): SigningKey {
  const account = privateKeyToAccount(privateKey)
  return { address: account.address, sign: (hash) => account.sign({ hash }) }
}
