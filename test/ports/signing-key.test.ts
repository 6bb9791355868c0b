import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encryptKeystore } from '@ethersproject/json-wallets'
import { parseTransaction, recoverAddress, recoverTransactionAddress } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { keccak256, stringToHex } from 'viem/utils'
import { type KeySource, openKey } from '../../src/adapters/keys/open-key'
import { keysInKeystore } from '../../src/app/config/keystore'
import { chains } from '../../src/domain/chain/chain'
import type { Hex } from '../../src/domain/chain/hex'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import { relayers } from '../../src/signer/relayers'
import { startAwsKms } from '../support/kms/aws-kms'
import { startGcpKms } from '../support/kms/gcp-kms'
import { executors } from '../support/signable'
import { testAll } from '../support/test-all'

const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const privateKey = generatePrivateKey()
const address = privateKeyToAddress(privateKey)
const digestOf = (text: string) => keccak256(stringToHex(text))

const arn = 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-0000-4000-8000-000000000001'
const otherArn = (n: number) => arn.replace(/1$/, String(n))
const version = (key: string) =>
  `projects/devnet/locations/europe-west3/keyRings/switchyard/cryptoKeys/${key}/cryptoKeyVersions/1`
const byNumber = (key: string) => version(key).replace('devnet', '481516234200')
const aws = startAwsKms([
  { arn, privateKey },
  { arn: otherArn(2), privateKey, spec: 'ECC_NIST_P256' },
  { arn: otherArn(3), privateKey, usage: 'KEY_AGREEMENT' },
])
const gcp = startGcpKms([
  { name: version('route'), privateKey },
  { name: version('p256'), privateKey, algorithm: 'EC_SIGN_P256_SHA256' },
  { name: version('by-id'), privateKey, answersAs: version('by-id').replace('devnet', '481516234200') },
  { name: byNumber('by-number'), privateKey, answersAs: version('by-number') },
  { name: version('elsewhere'), privateKey, answersAs: version('elsewhere').replace('devnet', 'other-project') },
  { name: version('swapped'), privateKey, answersAs: version('by-id') },
  { name: version('older'), privateKey, answersAs: version('older').replace(/1$/, '2') },
  { name: version('moved'), privateKey, answersAs: byNumber('moved').replace('europe-west3', 'global') },
  { name: version('ring'), privateKey, answersAs: byNumber('ring').replace('/switchyard/', '/another/') },
])
const fromAws = (text = arn): KeySource => `aws-kms:${text}`
const fromGcp = (key = 'route'): KeySource => `gcp-kms:${version(key)}`
const { GCP_KMS_URL: gcpKmsUrl, ...gcpEnv } = gcp.env
const before = { ...process.env }
beforeAll(() => void Object.assign(process.env, aws.env, gcpEnv))
afterAll(async () => {
  for (const name of Object.keys({ ...aws.env, ...gcpEnv })) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  await Promise.all([aws.stop(), gcp.stop()])
})

const opened = (source: KeySource) => openKey(source, { gcpKmsUrl })
const fromKeystore = async (): Promise<KeySource> => {
  const written = await encryptKeystore({ privateKey, address }, 'password', { scrypt: { N: 1_024 } })
  return keysInKeystore(written, 'password')[0]!
}

describe.each<[string, () => KeySource | Promise<KeySource>]>([
  ['a plain key', () => privateKey],
  ['a keystore', fromKeystore],
  ['a key of AWS KMS', fromAws],
  ['a key of Google Cloud KMS', fromGcp],
])('%s', (_kind, source) => {
  test('the key has the address of its public key, and signs with s in the lower half', async () => {
    const key = await opened(await source())
    expect(key.address).toBe(address)
    for (const n of [1, 2, 3, 4]) {
      const digest = digestOf(`order ${n}`)
      const signature = await key.sign(digest)
      expect(signature).toMatch(/^0x[0-9a-f]{130}$/)
      expect(await recoverAddress({ hash: digest, signature })).toBe(address)
      expect(BigInt(`0x${signature.slice(66, 130)}`) <= half).toBe(true)
    }
  })

  test('the key signs transactions that chains accept', async () => {
    const one = relayers([await opened(await source())], executors)
    for (const nonce of [3, 4]) {
      const { bytes, hash } = await one.filler(`base:${address}`, nonce, { feeCap: 30n, tip: 2n })
      expect(parseTransaction(bytes)).toMatchObject({ chainId: chains.base.id, nonce, maxFeePerGas: 30n })
      expect(await recoverTransactionAddress({ serializedTransaction: bytes as `0x02${string}` })).toBe(address)
      expect(hash).toBe(keccak256(bytes))
    }
  })
})

test('a Google Cloud KMS key is the same by the number of its project and by its id', async () => {
  for (const name of [version('by-id'), byNumber('by-number')]) {
    const key = await opened(`gcp-kms:${name}`)
    const hash = digestOf(name)
    expect(await recoverAddress({ hash, signature: await key.sign(hash) })).toBe(address)
  }
})

describe('an unusable key is reported when it is opened, with the reason', () => {
  const refused = async (opening: Promise<unknown>, sentence: RegExp, isAway = false) => {
    const error = await opening.then(
      () => null,
      (reason) => reason,
    )
    expect(error?.message).toMatch(sentence)
    expect(error.isAway).toBe(isAway)
    expect(error.message).not.toContain('stand-in')
  }

  test('a key on another curve or for another use', async () => {
    await refused(opened(fromAws(otherArn(2))), /not an AWS KMS key that signs with secp256k1/)
    await refused(opened(fromAws(otherArn(3))), /not an AWS KMS key that signs with secp256k1/)
    await refused(opened(fromGcp('p256')), /not a Google Cloud KMS key that signs with secp256k1/)
  })

  test('a key that is missing or in another region', async () => {
    await refused(opened(fromAws(arn.replace('eu-central-1', 'us-east-1'))), /does not exist in AWS KMS in the region/)
    await refused(opened(fromGcp('none')), /does not exist in Google Cloud KMS/)
  })

  testAll(['elsewhere', 'swapped', 'older', 'moved', 'ring'])('a response for another key is refused', async (key) => {
    await refused(opened(fromGcp(key)), /was changed in transit/, true)
  })

  testAll<[string, string, RegExp, boolean]>([
    ['GetPublicKey', 'AccessDeniedException', /needs kms:GetPublicKey and kms:Sign/, false],
    ['Sign', 'AccessDeniedException', /needs kms:GetPublicKey and kms:Sign/, false],
    ['Sign', 'DisabledException', /is disabled in AWS KMS/, false],
    ['Sign', 'KMSInvalidStateException', /is disabled in AWS KMS/, false],
    ['*', 'UnrecognizedClientException', /accepts no credentials/, false],
    ['*', 'ThrottlingException', /ThrottlingException/, true],
    ['Sign', 'KMSInternalException', /KMSInternalException/, true],
  ])(
    'AWS KMS: the response is reported, and whether the service is unreachable',
    async (operation, error, sentence, isAway) => {
      aws.fail(operation, error)
      await refused(opened(fromAws()), sentence, isAway).finally(aws.mend)
    },
  )

  testAll<[string, Parameters<typeof gcp.fail>[1], RegExp, boolean]>([
    ['publicKey', 'PERMISSION_DENIED', /needs the role cloudkms.signerVerifier/, false],
    ['asymmetricSign', 'PERMISSION_DENIED', /needs the role cloudkms.signerVerifier/, false],
    ['asymmetricSign', 'FAILED_PRECONDITION', /is disabled in Google Cloud KMS/, false],
    ['*', 'UNAUTHENTICATED', /accepts no credentials/, false],
    ['*', 'RESOURCE_EXHAUSTED', /does not sign \(8\)/, true],
    ['*', 'UNAVAILABLE', /does not sign \(14\)/, true],
    ['publicKey', 'GARBLED', /was changed in transit/, true],
    ['asymmetricSign', 'GARBLED', /was changed in transit/, true],
    ['asymmetricSign', 'UNVERIFIED', /was changed in transit/, true],
  ])(
    'Google Cloud KMS: the response is reported, and whether the service is unreachable',
    async (method, failure, sentence, isAway) => {
      gcp.fail(method, failure)
      await refused(opened(fromGcp()), sentence, isAway).finally(gcp.mend)
    },
  )
})

test('a signature requested while the service is unreachable waits for the signer, and continues after it returns', async () => {
  const [ofAws, ofGcp] = await Promise.all([opened(fromAws()), opened(fromGcp())])
  aws.fail('Sign', 'ThrottlingException')
  gcp.fail('asymmetricSign', 'PERMISSION_DENIED')
  for (const key of [ofAws, ofGcp]) {
    const error = await key.sign(digestOf('later')).then(
      () => null,
      (reason) => reason,
    )
    expect(error).toBeInstanceOf(TemporarilyUnavailable)
    expect(error.waitingFor).toBe('SIGNER')
  }
  aws.mend()
  gcp.mend()
  const all = await Promise.all([ofAws, ofGcp].map((key) => key.sign(digestOf('later'))))
  expect(all.every((signature: Hex) => signature.length === 132)).toBe(true)
})
