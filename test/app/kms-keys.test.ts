import { afterAll, expect, test } from 'bun:test'
import { privateKeyToAddress } from 'viem/accounts'
import { loadConfig } from '../../src/app/config/config'
import { keyTexts } from '../../src/app/config/config-keys'
import { keysOf } from '../../src/app/doctor/signer'
import { openKeys } from '../../src/app/process/open-keys'
import { startFailure } from '../../src/app/start-failure'
import { startAwsKms } from '../support/kms/aws-kms'
import { serviceVariables } from '../support/service-variables'
import { testAll } from '../support/test-all'

const privateKey = `0x${'9'.repeat(64)}` as const
const arn = 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-0000-4000-8000-00000000000a'
const other = arn.replace(/a$/, 'b')
const aws = startAwsKms([
  { arn, privateKey },
  { arn: other, privateKey, spec: 'ECC_NIST_P384' },
])
const before = { ...process.env }
Object.assign(process.env, aws.env)
afterAll(async () => {
  for (const name of Object.keys(aws.env)) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  await aws.stop()
})

const loadedWith = (named: string) => loadConfig({ ...serviceVariables, ROUTE_SIGNER_PRIVATE_KEY: `aws-kms:${named}` })

test('an AWS KMS key is opened at the start and by the doctor, which shows its address', async () => {
  const loaded = loadedWith(arn)
  expect((await openKeys(loaded)).routeSigner?.address).toBe(privateKeyToAddress(privateKey))
  const { findings, opened } = await keysOf(loaded)
  expect(findings.map(({ check, verdict }) => [check, verdict])).toEqual([['key', 'GOOD']])
  expect(findings[0]!.sentence).toContain(privateKeyToAddress(privateKey))
  expect(opened.relayers).toHaveLength(1)
})

testAll<[string, string, string, string]>([
  ['of another curve', other, '', 'is not an AWS KMS key that signs with secp256k1'],
  ['in another region', arn.replace('eu-central', 'us-east'), '', 'does not exist in AWS KMS in the region'],
  ['that may not be used', arn, 'AccessDeniedException', 'needs kms:GetPublicKey and kms:Sign'],
  ['that is disabled', arn, 'DisabledException', 'is disabled in AWS KMS'],
  ['of an unreachable service', arn, 'ThrottlingException', 'cannot be used now'],
])(
  'a key that cannot sign stops the start and is bad in the doctor, named by its variable',
  async (_how, named, error, sentence) => {
    if (error) aws.fail('Sign', error)
    const loaded = loadedWith(named)
    const told = startFailure(await openKeys(loaded).catch((reason) => reason))
    expect(told).toMatch(/^ROUTE_SIGNER_PRIVATE_KEY: a key /)
    expect(told).toContain(sentence)
    const { findings, opened } = await keysOf(loaded)
    aws.mend()
    expect(findings.map(({ check, subject, verdict }) => [check, subject, verdict])).toEqual([
      ['key', 'ROUTE_SIGNER_PRIVATE_KEY', 'BAD'],
    ])
    expect(opened.routeSigner).toBeNull()
    expect(opened.relayers).toHaveLength(1) // a fault of one key hides nothing about the others
  },
)

test('an alias, a Google key without version and a truncated name are refused, and key names may be logged', () => {
  const google = 'gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/k'
  for (const named of ['aws-kms:arn:aws:kms:eu-central-1:111122223333:alias/signer', google, 'aws-kms:', 'gcp-kms:x'])
    expect(() => loadConfig({ ...serviceVariables, ROUTE_SIGNER_PRIVATE_KEY: named })).toThrow(
      'ROUTE_SIGNER_PRIVATE_KEY must be',
    )
  expect(
    loadConfig({ ...serviceVariables, ROUTE_SIGNER_PRIVATE_KEY: `${google}/cryptoKeyVersions/1` }).keys.routeSigner,
  ).toContain('gcp-kms:')
  expect(keyTexts(loadedWith(arn).keys).some((text) => text.includes('kms'))).toBe(false)
})
