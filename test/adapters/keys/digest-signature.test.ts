import { expect, test } from 'bun:test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { addressOfSpki, recoverableSignature } from '../../../src/adapters/keys/digest-signature'
import { crc32c } from '../../../src/protocols/kms/formats'
import { derSignature, spkiOf } from '../../support/kms/key-formats'

const key = generatePrivateKey()
const address = privateKeyToAddress(key)
const digest = keccak256('0x01')

test('the checksum is CRC-32C, according to the check value of its definition', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
})

test('only a complete secp256k1 public key has an address', () => {
  const spki = spkiOf(key)
  expect(addressOfSpki(spki)).toBe(address)
  expect(addressOfSpki(spki.subarray(0, -1))).toBeNull()
  const offCurve = Buffer.from(spki)
  offCurve[spki.length - 1]! ^= 1
  expect(addressOfSpki(offCurve)).toBeNull()
  // The identifier of P-256 in place of the one of secp256k1.
  const other = Buffer.from(spki.toString('hex').replace('2b8104000a', '2a8648ce3d'), 'hex')
  expect(addressOfSpki(other)).toBeNull()
})

test('a signature by another key, of another digest or in another form is rejected', () => {
  const der = derSignature(key, Buffer.from(digest.slice(2), 'hex'))
  expect(recoverableSignature(der, digest, address)).not.toBeNull()
  expect(recoverableSignature(der, keccak256('0x02'), address)).toBeNull()
  expect(recoverableSignature(der, digest, privateKeyToAddress(generatePrivateKey()))).toBeNull()
  expect(recoverableSignature(der.subarray(1), digest, address)).toBeNull()
  expect(recoverableSignature(new Uint8Array(), digest, address)).toBeNull()
})
