import { expect, test } from 'bun:test'
import { fundsText } from '../../src/cli/terminal/funds-text'
import { needingAttention } from '../../src/dashboard/live/counts'
import { rescanOf } from '../../src/dashboard/pages/deposit/rescan-of'
import { mayBe } from '../../src/dashboard/pages/execution/verbs'
import { holds, mayEnd } from '../../src/dashboard/pages/operations/pause-scopes'
import type { Status } from '../../src/domain/execution/status'

const row = (status: Status, count: number, superseded = 0) => ({
  state: status,
  status,
  count,
  superseded,
  unlisted: 0,
  forProvider: 0,
  oldestAt: '2026-11-21T10:00:00.000Z',
  enteredAt: null,
  overdue: 0,
  endedLastDay: 0,
})

test('a superseded execution needs no attention', () => {
  expect(needingAttention([row('DEAD_LETTER', 5, 4), row('QUOTA_EXCEEDED', 2, 0), row('SUCCESS', 9, 0)])).toBe(3)
  expect(needingAttention([row('FAILED_UNROUTABLE_MAIN', 1), row('FAILED_INSUFFICIENT_AFTER_FEES', 7)])).toBe(1)
})

const ended = (holder: string, actor: string, code = 'ABANDONED') =>
  mayBe({ status: 'DEAD_LETTER', completedAt: 'then', funds: { holder }, next: { actor }, cause: { code } } as never)

test('a retry is offered after a failure and for a burn without a mint, but not for other money on its way', () => {
  const open = (status: string, address: string | null = '0x1') =>
    mayBe({ status, completedAt: null, next: { action: 'DELIVER' }, funds: { holder: 'PROVIDER', address } } as never)
  expect(open('FAILED').first).toBe('retry')
  expect(open('RUNNING', null)).toEqual({ first: 'retry', rest: [] })
  expect([open('RUNNING').first, open('PENDING').first]).toEqual(['dead-letter', 'dead-letter'])
})

test('a re-drive is offered for money in the account, but not first if its sender must act', () => {
  expect(ended('DEPOSIT_ACCOUNT', 'OPERATOR')).toEqual({ first: 'redrive', rest: ['refund'] })
  expect(ended('DEPOSIT_ACCOUNT', 'SENDER')).toEqual({ first: null, rest: ['redrive', 'refund'] })
  expect(ended('DEPOSIT_ACCOUNT', 'OPERATOR', 'TOKEN_NOT_SUPPORTED')).toEqual({ first: 'refund', rest: ['redrive'] })
  expect(ended('NONE', 'NOBODY')).toEqual({ first: null, rest: [] })
})

test('the command line names the execution that has a superseded one’s money', () => {
  const funds = { holder: 'NONE', amount: '0' } as never
  expect(fundsText({ funds, next: { executionId: 'x:r1' } as never })).toBe('with execution x:r1')
})

const own = { id: 'org_1', isPlatform: false }
const platform = { id: 'org_0', isPlatform: true }
const ofOrganization = (isOwn: boolean) => ({ scope: 'organization', isOwn })

test('the platform ends every pause but those that members of an organization began', () => {
  const scopes = ['all', 'chain:8453', 'tenant:org_1'].map((scope) => ({ scope, isOwn: false }))
  expect(scopes.map((pause) => [mayEnd(pause, own), mayEnd(pause, platform)])).toEqual(Array(3).fill([false, true]))
  expect(mayEnd(ofOrganization(true), own)).toBe(true)
  expect(mayEnd(ofOrganization(false), platform)).toBe(false)
  expect(mayEnd(ofOrganization(true), platform)).toBe(true)
})

test('the own pause of an organization is recognized in the response of an earlier release', () => {
  const pause = (scope: string, organizationId?: string | null) => ({ scope, organizationId })
  const own1 = [pause('organization'), pause('organization', null)]
  expect(own1.map((each) => mayEnd(each, own))).toEqual([true, true])
  expect([pause('all'), pause('tenant:org_1')].map((each) => mayEnd(each, own))).toEqual([false, false])
  const read = ['org_0', 'org_1'].map((id) => mayEnd(pause('organization', id), platform))
  expect(read).toEqual([true, false])
})

test('a pause holds the deposits of its chains, its tokens or its organization, and a provider’s holds none', () => {
  const token = `0x${'Ab'.repeat(20)}` as const
  const target = `0x${'Cd'.repeat(20)}` as const
  const from = { fromChainId: 8453, fromTokenAddress: token, organizationId: 'org_1' } as const
  const deposit = { ...from, toChainId: 42161, toTokenAddress: target } as const
  const held = (scope: string, organizationId?: string) => holds({ scope, organizationId }, deposit, platform)
  const yes = [
    'all',
    'chain:8453',
    'chain:42161',
    `token:8453:${token.toLowerCase()}`,
    `token:42161:${target}`,
    'tenant:org_1',
  ]
  expect(yes.filter((scope) => !held(scope))).toEqual([])
  const no = [
    'chain:137',
    `token:137:${token}`,
    `token:8453:${target}`,
    'tenant:org_2',
    'provider:lifi',
    'organization',
  ]
  expect(no.filter((scope) => held(scope))).toEqual([])
  expect([held('organization', 'org_1'), held('organization', 'org_2')]).toEqual([true, false])
  const { organizationId: _, ...seenByOwner } = from
  const unmatched = { ...seenByOwner, toChainId: null, toTokenAddress: null }
  expect(holds({ scope: 'organization' }, unmatched, own)).toBe(true)
  expect(holds({ scope: 'chain:42161' }, unmatched, own)).toBe(false)
})

test('a rescan is offered for an unlisted token and for a late confirmation with a transaction', () => {
  const seen = (stage: string, actor: string, action: string, depositTxHash: string | null = '0x1') =>
    rescanOf({ id: 'd', fromChainId: 8453, depositTxHash, stage, next: { actor, action } } as never)
  expect(seen('UNSUPPORTED', 'INTEGRATOR', 'RESCAN')).toEqual({ depositId: 'd' })
  expect(seen('CONFIRMING', 'OPERATOR', 'INVESTIGATE')).toEqual({ fromChainId: 8453, txHash: '0x1' } as never)
  expect(seen('CONFIRMING', 'OPERATOR', 'INVESTIGATE', null)).toBeNull()
  expect(seen('CONFIRMING', 'SERVICE', 'CONFIRM')).toBeNull()
  expect(seen('ROUTED', 'OPERATOR', 'INVESTIGATE')).toBeNull()
})
