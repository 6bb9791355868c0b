import { describe, expect, test } from 'bun:test'
import { keccak256 } from 'viem'
import registryArtifact from '../../contracts/artifacts/AccountRegistry.json'
import {
  accountAddressOf,
  accountInitCode,
  accountSaltOf,
  deployedAddressOf,
  implementationAddressOf,
  registryAddressOf,
} from '../../src/domain/chain/account'
import type { Hex } from '../../src/domain/chain/hex'
import { golden, holders, implementation, one, registry, two } from '../support/golden-accounts'
import { testAll } from '../support/test-all'

describe('the address of a user never changes', () => {
  testAll(golden)('the golden addresses are computed', (organizationSalt, userId, salt, address) => {
    const accountSalt = accountSaltOf(organizationSalt, userId)
    expect(accountSalt).toBe(salt)
    expect(accountAddressOf({ registry, implementation, accountSalt })).toBe(address)
  })

  test('the registry and the implementation are at the addresses that the frozen init code determines', () => {
    const registryCode = registryArtifact.bytecode as Hex
    expect(keccak256(registryCode)).toBe('0xd87ca0986daee25f52cadbaf558016d036ba852b672eed57c65ae0c5a8e07f82')
    expect(registryAddressOf({ registryCode, holders })).toBe(registry)
    expect(implementationAddressOf(registry)).toBe(implementation)
    expect(keccak256(accountInitCode(implementation))).toBe(
      '0xcc2c6f063e5455eff3211231bdab5f06fd4300e71982a1053cdabc38d2ee700c',
    )
  })

  test('different holders have a registry at a different address', () => {
    const registryCode = registryArtifact.bytecode as Hex
    const swapped = { ...holders, admin: holders.guardian, guardian: holders.admin }
    expect(registryAddressOf({ registryCode, holders: swapped })).not.toBe(registry)
  })

  test('the proxy deploys known init code at the address that chains show', () => {
    // The empty init code with the empty salt: keccak256(0xff ++ proxy ++ 0 ++ keccak256('0x')).
    const preimage = `0xff4e59b44847b379578588920ca78fbf26c0b4956c${'0'.repeat(64)}${keccak256('0x').slice(2)}` as const
    expect(deployedAddressOf('0x').toLowerCase()).toBe(`0x${keccak256(preimage).slice(-40)}`)
  })
})

describe('an account belongs to one user of one organization', () => {
  test('user ids are compared byte for byte', () => {
    const salts = ['Alice', 'alice', 'alice ', 'Zoë', 'Zoe\u0308'].map((userId) => accountSaltOf(one, userId))
    expect(new Set(salts).size).toBe(5)
  })

  test('the same user id in two organizations has two addresses', () => {
    expect(accountSaltOf(one, 'alice')).not.toBe(accountSaltOf(two, 'alice'))
  })
})
