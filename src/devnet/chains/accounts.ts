import { getAddress, keccak256, stringToHex, toHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Address, Hex } from '../../domain/chain/hex'

/** These keys are public, because they are in this file. Never use them for anything of value. */
const mnemonic = 'three word entire robot hub stage master friend tube various pride fix'

export type DevAccount = PrivateKeyAccount & { privateKey: Hex }

const root = mnemonicToAccount(mnemonic).getHdKey()

const account = (index: number): DevAccount => {
  const privateKey = toHex(root.derive(`m/44'/60'/0'/0/${index}`).privateKey!)
  return { ...privateKeyToAccount(privateKey), privateKey }
}

/** The accounts of all parties on the devnet. On a real chain each belongs to a different party. */
export const accounts = {
  admin: account(0),
  guardian: account(1),
  recovery: account(2),
  routeSigner: account(3),
  collector: account(4),
  faucet: account(5),
  solver: account(6),
  deployer: account(7),
  relaySolver: account(8),
  cctpAttester: account(9),
  relayers: [10, 11, 12, 13].map(account),
  receipts: account(14),
}

/** An address computed from a name, so it has no key. */
export const addressOf = (name: string): Address =>
  getAddress(`0x${keccak256(stringToHex(`switchyard devnet ${name}`)).slice(-40)}`)

export const lifiFeeRecipient = addressOf('LI.FI fees')
export const circleFeeRecipient = addressOf('Circle fees')
