import { expect, test } from 'bun:test'
import { type SignerLogState, signerLogId } from '../../src/domain/signer-log'
import type { SigningRequest } from '../../src/ports/signer'
import { ownTerms } from '../../src/signer/own-terms'
import { signableOf } from '../../src/signer/policy-signer'
import { headsApartSeconds } from '../../src/signer/signed-once'
import { signing } from '../../src/signer/signing'
import { recordsInMemory } from '../support/records'
import { anyIntent } from '../support/seals'
import { accountSalt, sealedRecord, signable, signerSettings } from '../support/signable'

const deadline = 1_800_000_000
const request: SigningRequest = {
  execution: signableOf(sealedRecord(signable())),
  deadline,
  accountSalt,
  organization: null,
}

test('a valid signature is used only if its deadline is at most two minutes after the requested one', async () => {
  expect(headsApartSeconds).toBe(120)
  for (const [later, why] of [
    [120, []],
    [121, ['The signer returned a deadline that was not requested']],
  ] as const) {
    const refused: string[] = []
    const sign = (asked: SigningRequest) => signing(signerSettings).sign({ ...asked, deadline: deadline + later })
    const asks = ownTerms(
      { sign, verifyIntent: anyIntent },
      {
        ...signerSettings,
        storedLogs: recordsInMemory<SignerLogState>(),
        onFalseAnswer: ({ message }) => refused.push(message),
      },
    )
    const got = await asks.sign(request).then(
      (order) => order.deadline,
      (error) => error.waitingFor,
    )
    expect({ got, refused }).toEqual({ got: why.length > 0 ? 'SIGNER' : deadline + later, refused: [...why] })
  }
})

test('a response without a log, after one with entries, stops all later ones until an operator accepts it', async () => {
  const storedLogs = recordsInMemory<SignerLogState>()
  const others: unknown[] = []
  let log: { count: number; last: string } | undefined = { count: 3, last: '0xab' }
  const sign = async (asked: SigningRequest) => ({
    ...(await signing(signerSettings).sign(asked)),
    ...(log && { log }),
  })
  const asks = ownTerms({ sign, verifyIntent: anyIntent } as never, {
    ...{ ...signerSettings, storedLogs },
    onFalseAnswer: () => {},
    onOtherLog: (heads) => others.push(heads),
  })
  const outcome = () =>
    asks.sign(request).then(
      () => 'signed',
      (error) => [error.waitingFor, error.askAgainInMs],
    )
  expect(await outcome()).toBe('signed')
  log = undefined
  expect(await outcome()).toEqual(['SIGNER', 10_000])
  log = { count: 4, last: '0xcd' }
  expect(await outcome()).toEqual(['SIGNER', 10_000])
  expect(others).toEqual([{ known: 3, heard: 0 }])
  expect(await storedLogs.load(signerLogId)).toMatchObject({ count: 3, last: '0xab', other: { count: 0, last: '' } })
})
