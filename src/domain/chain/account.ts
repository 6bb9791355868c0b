import { concatHex, encodeAbiParameters, getContractAddress, keccak256 } from 'viem/utils'
import { type ChainId, network } from './chain'
import type { Address, Hash, Hex } from './hex'

/** A user's deposit account. Its salt and address are stored at creation and never recomputed (decision 3). */
export type Account = {
  /** Address, checksummed. */
  id: Address
  version: number
  organizationId: string
  userId: string
  accountSalt: Hash
  canonicalChainId: ChainId
  label: string | null
  createdAt: number
  updatedAt: number
}

/**
 * Proxy that deploys the init code it receives, at an address that depends only on that code. The proxy has the same
 * address on every chain.
 */
export const deploymentProxy: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** The test network has a different namespace, so a user of both networks gets different addresses. */
export const saltNamespace = network === 'testnet' ? 'switchyard/testnet/v1' : 'switchyard/eip155/v1'
const emptySalt: Hash = `0x${'0'.repeat(64)}`

/**
 * Returns the salt of a user's account. All EVM chains share it, so the account has one address everywhere. It includes
 * the organization's salt, so guessing user ids reveals no account.
 */
export function accountSaltOf(organizationSalt: Hash, userId: string): Hash {
  const parameters = [{ type: 'string' }, { type: 'bytes32' }, { type: 'string' }] as const
  return keccak256(encodeAbiParameters(parameters, [saltNamespace, organizationSalt, userId]))
}

/**
 * Returns the init code of an ERC-1167 proxy that stops on empty calldata. It equals AccountRegistry's own init code
 * byte for byte.
 */
export function accountInitCode(implementation: Address): Hex {
  const head = '0x3d603380600a3d3981f336600557005b363d3d373d3d3d363d73'
  return concatHex([head, implementation, '0x5af43d82803e903d91603157fd5bf3'])
}

export function accountAddressOf(account: { registry: Address; implementation: Address; accountSalt: Hash }): Address {
  const { registry: from, implementation, accountSalt: salt } = account
  return getContractAddress({ opcode: 'CREATE2', from, salt, bytecode: accountInitCode(implementation) })
}

/**
 * The registry's three holders; any two can replace the third. Their addresses are part of the registry's init code, so
 * different holders mean different account addresses.
 */
export type Holders = { admin: Address; guardian: Address; recovery: Address }

function registryInitCode({ registryCode, holders }: { registryCode: Hex; holders: Holders }): Hex {
  const { admin, guardian, recovery } = holders
  const parameters = [{ type: 'address' }, { type: 'address' }, { type: 'address' }] as const
  return concatHex([registryCode, encodeAbiParameters(parameters, [admin, guardian, recovery])])
}

export function registryAddressOf(registry: { registryCode: Hex; holders: Holders }): Address {
  return deployedAddressOf(registryInitCode(registry))
}

/** Returns the address at which the deployment proxy deploys this init code, with the empty salt. */
export function deployedAddressOf(initCode: Hex): Address {
  return getContractAddress({ opcode: 'CREATE2', from: deploymentProxy, salt: emptySalt, bytecode: initCode })
}

/** Returns the address of the account implementation. The registry's constructor deploys it first. */
export function implementationAddressOf(registry: Address): Address {
  return getContractAddress({ opcode: 'CREATE', from: registry, nonce: 1n })
}
