import { getAddress, keccak256, stringToHex, toHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Address, Hex } from '../../domain/chain/hex'

/** Known to everybody who has read this file: nothing of value may ever stand behind it. */
const mnemonic = 'three word entire robot hub stage master friend tube various pride fix'

export type DevAccount = PrivateKeyAccount & { privateKey: Hex }

const root = mnemonicToAccount(mnemonic).getHdKey()

const account = (index: number): DevAccount => {
  const privateKey = toHex(root.derive(`m/44'/60'/0'/0/${index}`).privateKey!)
  return { ...privateKeyToAccount(privateKey), privateKey }
}

/** Everybody who acts on the devnet; on a real chain each of them is somebody else. */
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
  relayers: [10, 11, 12, 13].map(account),
}

/** An address that nobody has a key of, made from a name. */
export const addressOf = (name: string): Address =>
  getAddress(`0x${keccak256(stringToHex(`switchyard devnet ${name}`)).slice(-40)}`)

export const lifiFeeRecipient = addressOf('LI.FI fees')
