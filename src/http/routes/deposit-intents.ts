import { Elysia } from 'elysia'
import type { Address } from '../../domain/chain/hex'
import { rewrite } from '../../domain/concurrency'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { isSealed, type Seals } from '../../domain/seals'
import { changesOf } from '../../domain/tenant/audit'
import type { Alone } from '../../intents/leads-back'
import type { Executions } from '../../ports/executions'
import type { IdempotentRequests } from '../../ports/limits'
import type { Accounts, DepositIntents } from '../../ports/tenants'
import type { Wakes } from '../../ports/wakes'
import { operationDocs } from '../openapi/operation-docs'
import { noteVerb } from '../operator/note-verb'
import type { OperatorPorts } from '../operator/ports'
import { authorOf } from '../operator/request-context'
import { addressIn, tokenIn } from '../request/address-in'
import { authenticate } from '../request/authenticate'
import { type Caller, clientOnly, type Gate, payouts } from '../request/caller'
import { answer } from '../request/etag'
import { type NoteBug, Refusal } from '../request/failure'
import { type Answer, idempotent } from '../request/idempotent'
import {
  DepositIntentRequest,
  DepositIntentView,
  depositIntentExample,
  depositIntentView,
} from '../views/deposit-intent'
import { UserParams } from '../views/scalar'
import { refundRefusals, type targetCheck, targetRefusals } from './check-target'
import { type HoldPorts, isHeldBack } from './held-changes'
import { nextIntent, type Target } from './next-intent'
import { checkQuota } from './quota'
import type { Users } from './users'

type DepositIntentPorts = {
  intents: DepositIntents
  users: Users
  accounts: Pick<Accounts, 'load'>
  executions: Pick<Executions, 'countQuota'>
  /** The organizations and the changes that they hold back. */
  holding: Pick<HoldPorts, 'heldChanges' | 'organizations'>
  checkTarget: ReturnType<typeof targetCheck>
  alone: Alone
  wakeWaiting: (id: Address) => Promise<void>
  operator: Pick<OperatorPorts, 'auditLog' | 'newId'>
  idempotency: IdempotentRequests
  sealing: { seals: Seals; noteBug: NoteBug }
  now: () => number
}

const stored = 'The intent, new or updated.'

/** The destination of a user's deposits (interface 4.2, 4.3; decision 6). */
export const depositIntents = (ports: DepositIntentPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix })
    .use(authenticate(gate, payouts))
    .post(
      '/deposit-intents',
      async ({ body, caller, request, route, set }) => {
        const target = targetOf(body)
        return idempotent(ports.idempotency, ports.now, { request, path: route, set }, { caller, body: target }, () =>
          putIntent(ports, caller, authorOf(caller, set), target),
        )
      },
      {
        body: DepositIntentRequest,
        ...operationDocs({
          operationId: 'putDepositIntent',
          tag: 'Deposit intents',
          summary: 'Create or update the deposit intent of a user',
          description:
            'Gives the user a deposit address if there is none yet. The address never changes; a second call ' +
            'changes the destination of later deposits. A target that cannot work is refused. While its chain cannot ' +
            'be read, it is accepted.',
          roles: clientOnly.roles,
          bodyExample: targetOf({ ...depositIntentExample, refundAddress: undefined } as never),
          isMutation: true,
          answers: {
            200: { view: DepositIntentView, description: stored, example: depositIntentExample },
            201: { view: DepositIntentView, description: stored, example: depositIntentExample },
          },
          refusals: [
            ...targetRefusals,
            ...refundRefusals,
            'CHANGE_HELD',
            'CHANGED_MEANWHILE',
            'QUOTA_EXCEEDED',
            'CHAINS_UNVERIFIED',
          ],
        }),
      },
    )
    .get(
      '/users/:userId/deposit-intent',
      async ({ params, caller, request, set }) => {
        const id = await ports.users.find(caller.organization, params.userId)
        const intent = id && (await ports.intents.load(id))
        if (!intent) throw new Refusal('NO_DEPOSIT_INTENT')
        return answer({ request, set }, depositIntentView(intent))
      },
      {
        params: UserParams,
        ...operationDocs({
          operationId: 'getDepositIntent',
          tag: 'Deposit intents',
          summary: 'Show the deposit intent of a user',
          description: 'The current destination of this user’s deposits.',
          roles: clientOnly.roles,
          answers: {
            200: {
              view: DepositIntentView,
              description: 'The intent.',
              example: depositIntentExample,
              headers: ['etag'],
            },
          },
          refusals: ['NO_DEPOSIT_INTENT'],
        }),
      },
    )

/** Returns the requested target, with its addresses in the checksummed form that is stored. */
function targetOf(body: DepositIntentRequest): Target {
  const target = {
    userId: body.userId,
    targetChainId: body.targetChainId,
    targetTokenAddress: tokenIn('targetTokenAddress', body.targetChainId, body.targetTokenAddress),
    targetAddress: addressIn('targetAddress', body.targetAddress),
  }
  if (body.refundAddress === undefined) return target
  return {
    ...target,
    refundAddress: body.refundAddress === null ? null : addressIn('refundAddress', body.refundAddress),
  }
}

const isSame = (intent: DepositIntent, target: Target): boolean =>
  intent.targetChainId === target.targetChainId &&
  intent.targetTokenAddress === target.targetTokenAddress &&
  intent.targetAddress === target.targetAddress &&
  (target.refundAddress === undefined || intent.refundAddress === target.refundAddress)

async function putIntent(
  ports: DepositIntentPorts,
  caller: Caller,
  by: ReturnType<typeof authorOf>,
  target: Target,
): Promise<Answer> {
  const { organization } = caller
  const { accounts, intents, users } = ports
  const existingId = await users.find(organization, target.userId)
  const stored = existingId && (await intents.load(existingId))
  if (!stored) await checkQuota(ports, organization)
  const { userId, targetChainId: canonicalChainId } = target
  const id = existingId ?? users.addressOf(organization, userId)
  const owner = { id, organizationId: organization.id }
  const [next] = await Promise.all([accounts.load(target.targetAddress), ports.checkTarget.all(target, owner)])
  if (!existingId) {
    await note(ports, caller, by, id, null, target)
    await users.provision({ organization, userId, canonicalChainId, label: null })
  }
  const save = (alone: Alone) => saveIntent(ports, caller, by, { id, target, stored, isNoted: !existingId, alone })
  if (next?.organizationId !== organization.id) return save(ports.alone)
  return ports.alone(owner, async () => {
    await ports.checkTarget.round(target, owner)
    return save((_, act) => act())
  })
}

type Saving = { id: Address; target: Target; stored: DepositIntent | null; isNoted: boolean; alone: Alone }

async function saveIntent(
  ports: DepositIntentPorts,
  caller: Caller,
  by: ReturnType<typeof authorOf>,
  { id, target, stored: first, isNoted: wasNoted, alone }: Saving,
): Promise<Answer> {
  const { accounts, intents, holding, operator, sealing, now } = ports
  const { seals } = sealing
  const held: HoldPorts = { ...holding, accounts, intents, alone, operator, seals, now }
  let isNoted = wasNoted
  let read = first
  let hasTarget = false
  const change = async (stored: DepositIntent | null): Promise<DepositIntent | null> => {
    read = stored
    // If the intent already has this target, nothing is written and no version is made.
    hasTarget = stored !== null && isSame(stored, target) && isSealed(seals, stored)
    if (hasTarget) return null
    // An intent without a seal is ignored as invalid and repaired immediately.
    const isChange = stored && isSealed(seals, stored) && !isSame(stored, target)
    if (isChange && (await isHeldBack(held, caller, by, stored, target))) return change(await intents.load(id))
    if (!isNoted) await note(ports, caller, by, id, stored, target)
    isNoted = false
    return nextIntent(stored, { id, target, caller, by: by.actor, at: now() }, sealing)
  }
  const saved = await rewrite(intents, id, change, { first })
  const isNew = read === null
  if (isNew) await ports.wakeWaiting(id)
  return { status: isNew ? 201 : 200, view: depositIntentView((hasTarget ? read : saved)!) }
}

/** Writes a redirect to the audit log, with the previous destination. An unchanged intent is not noted. */
async function note(
  { operator, now }: DepositIntentPorts,
  caller: Caller,
  by: ReturnType<typeof authorOf>,
  id: Address,
  stored: DepositIntent | null,
  target: Target,
): Promise<void> {
  if (stored && isSame(stored, target)) return
  const details = stored ? changesOf(stored, target) : { ...target, apiKeyId: caller.actor.id }
  const verb = stored ? 'intent.edit' : 'intent.create'
  await noteVerb(operator, caller, by, { verb, target: id, at: now(), details })
}

type WakePorts = {
  executions: Pick<Executions, 'waitingForIntent'>
  wakes: Pick<Wakes, 'wakeNow'>
  noteBug: NoteBug
}

/** Wakes deposits that arrived before the intent. A deposit missed here continues at its next poll. */
export const wakingWaiting =
  ({ executions, wakes, noteBug }: WakePorts) =>
  async (id: Address): Promise<void> => {
    try {
      for (const waiting of await executions.waitingForIntent(id)) await wakes.wakeNow(waiting)
    } catch (error) {
      noteBug(error, { requestId: '', route: 'deposits that wait for an intent' })
    }
  }
