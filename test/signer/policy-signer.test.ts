import { expect, test } from 'bun:test'
import { seals } from '../support/seals'
import { account, accountSalt, sealedRecord, signable, signerOf } from '../support/signable'

const deadline = 1_800_000_000
const stored = { id: account, version: 1, organizationId: 'org', userId: 'user', accountSalt }
const accountOf = (change: Partial<typeof stored>) => ({
  accounts: { load: async () => ({ ...stored, ...change }) as never },
})
const outcomeOf = (signed: Promise<unknown>) =>
  signed.then(
    () => 'signed',
    (error) => [error.code, error.cause.message],
  )

test('an order is signed only for the user and the organization of its account', async () => {
  expect(await outcomeOf(signerOf(accountOf({})).sign(signable(), deadline))).toBe('signed')
  for (const other of [{ userId: 'else' }, { organizationId: 'else' }])
    expect(await outcomeOf(signerOf(accountOf(other)).sign(signable(), deadline))).toEqual([
      ...['SIGNER_REFUSED', 'The account belongs to another user'],
    ])
})

test('a forged intent is named before an account of another user', async () => {
  const signer = signerOf({ ...accountOf({ userId: 'else' }), seals })
  const codes = [signable(), sealedRecord(signable())].map((record) =>
    signer.sign(record, deadline).catch(({ code }) => code),
  )
  expect(await Promise.all<unknown>(codes)).toEqual(['INTENT_NOT_SEALED', 'SIGNER_REFUSED'])
})

test('a draft uses the stored account, and the organization only for an account that is not stored yet', async () => {
  const nobody = { organizations: { load: async () => null } }
  const unknown = { accounts: { load: async () => null } }
  const draft = await signerOf().draft(signable(), deadline)
  expect((await signerOf(nobody).draft(signable(), deadline)).id).toBe(draft.id)
  expect((await signerOf(unknown).draft(signable(), deadline)).id).toBe(draft.id)
  expect(await outcomeOf(signerOf({ ...nobody, ...unknown }).draft(signable(), deadline))).toEqual([
    ...['SIGNER_REFUSED', 'There is no such organization'],
  ])
  expect(await outcomeOf(signerOf(unknown).sign(signable(), deadline))).toEqual([
    ...['SIGNER_REFUSED', 'There is no such account'],
  ])
})

test('the data of an account is read once', async () => {
  let reads = 0
  const load = async () => {
    reads++
    return stored as never
  }
  const signer = signerOf({ accounts: { load } })
  for (let n = 0; n < 3; n++) await signer.draft(signable(), deadline)
  await signer.sign(signable(), deadline)
  expect(reads).toBe(1)
})
