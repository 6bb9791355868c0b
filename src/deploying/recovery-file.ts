import { isAddress, keccak256, stringToHex } from 'viem/utils'
import { accountAddressOf, implementationAddressOf } from '../domain/chain/account'
import { type ChainKey, chainKeys } from '../domain/chain/chain'
import { type Address, type Hash, sameAddress } from '../domain/chain/hex'
import { jsonOf } from '../domain/json'
import { type } from '../domain/schema'

/** The contract's numbers of the kinds of assets. */
const kinds = { TOKEN: 1, NFT: 2, MULTI_TOKEN: 3 } as const

/** A recovery that two holders approve, as the contract's struct. */
export type Recovery = {
  accountSalt: Hash
  kind: number
  asset: Address
  id: bigint
  amount: bigint
  to: Address
  label: Hash
}

export type RecoveryFile = { chain: ChainKey; account: Address; deposit: string; recovery: Recovery }

/** A recovery file that cannot be used, in sentences for the holders. */
export class RecoveryFileError extends Error {
  override name = 'RecoveryFileError'
}

const address = type('string').narrow((text, context) =>
  isAddress(text) ? true : context.mustBe('an address with a valid checksum'),
)
const digits = type(/^(0|[1-9]\d{0,77})$/).narrow((text, context) =>
  BigInt(text) < 2n ** 256n ? true : context.mustBe('below 2^256'),
)
const File = type({
  '+': 'reject',
  chain: type.enumerated(...chainKeys),
  account: address,
  accountSalt: /^0x[0-9a-f]{64}$/,
  'kind?': "'TOKEN' | 'NFT' | 'MULTI_TOKEN'",
  asset: address,
  'id?': digits,
  'amount?': digits,
  to: address,
  deposit: '0 < string <= 300',
})

/**
 * Reads the recovery that two holders should approve, so both approve the same text.
 *
 * @throws {RecoveryFileError}
 */
export function readRecoveryFile(text: string): RecoveryFile {
  const json = jsonOf(text)
  if (json === undefined) throw new RecoveryFileError('The recovery file is not JSON.')
  const read = File(json)
  if (read instanceof type.errors) throw new RecoveryFileError(`The recovery file is wrong: ${read.summary}`)
  const { chain, account, accountSalt, kind = 'TOKEN', asset, id = '0', amount = '0', to, deposit } = read
  if (kind === 'NFT' ? BigInt(amount) !== 0n : BigInt(amount) === 0n)
    throw new RecoveryFileError(`"amount" must be ${kind === 'NFT' ? 'left out for an NFT' : 'more than zero'}.`)
  if (kind === 'TOKEN' && BigInt(id) !== 0n) throw new RecoveryFileError('"id" is only for an NFT or a MULTI_TOKEN.')
  return {
    chain,
    account: account as Address,
    deposit,
    recovery: {
      accountSalt: accountSalt as Hash,
      kind: kinds[kind],
      asset: asset as Address,
      id: BigInt(id),
      amount: BigInt(amount),
      to: to as Address,
      label: keccak256(stringToHex(deposit)),
    },
  }
}

/**
 * Throws unless the salt belongs to the account. The file names both, because a salt alone is unreadable for people.
 *
 * @throws {RecoveryFileError}
 */
export function assureAccount({ account, recovery: { accountSalt } }: RecoveryFile, registry: Address): void {
  const derived = accountAddressOf({ registry, implementation: implementationAddressOf(registry), accountSalt })
  if (!sameAddress(derived, account))
    throw new RecoveryFileError(`The salt belongs to ${derived}, but the recovery file names ${account}.`)
}
