// Computes the deposit address of an account, as the registry of every chain does. viem is the only package.
import { getContractAddress as at, concatHex, encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'

const named = parseAbiParameters('string, bytes32, string')

export const saltOf = (organizationSalt, userId) =>
  keccak256(encodeAbiParameters(named, ['switchyard/eip155/v1', organizationSalt, userId]))

export function addressOf(registry, salt) {
  const implementation = at({ from: registry, nonce: 1n })
  const [head, tail] = ['0x3d603380600a3d3981f336600557005b363d3d373d3d3d363d73', '0x5af43d82803e903d91603157fd5bf3']
  return at({ opcode: 'CREATE2', from: registry, salt, bytecode: concatHex([head, implementation, tail]) })
}
