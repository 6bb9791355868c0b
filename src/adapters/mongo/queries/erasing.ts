import type { Connection } from 'mongoose'
import { rewrite } from '../../../domain/concurrency'
import { namingTypes } from '../../../domain/event-types'
import { literally } from '../../../domain/plain-text'
import { holdsAddress } from '../../../domain/tenant/audit-names'
import { removedName } from '../../../domain/tenant/removed'
import type { Erasure, Erasures } from '../../../ports/erasures'
import { mongoErasureRecords } from '../collections/people/erasures'
import { tellingRefusal } from '../engine/write-refusal'

type Input = {
  worker: string
  /** Removes what belongs to sign-in. */
  eraseSignIn: (personId: string, email: string | null) => Promise<void>
  /** Whether an address is somebody else's by now, who came after its person was removed. */
  isTakenAgain: (personId: string, email: string) => Promise<boolean>
  /** Removes the sessions and links of people with an organization's own identity provider. */
  eraseProvider: (organizationId: string, connectionId: string | null) => Promise<void>
  now: () => number
}
type Row = { _id: string }

/** The ids of names are hashes in hexadecimal, so that each of these sixteen ranges has as many. */
const nameRanges = [...'0123456789abcdef'].map((digit, n, digits) => ({
  ...(n > 0 && { $gte: digit }),
  ...(n < digits.length - 1 && { $lt: digits[n + 1]! }),
}))

/**
 * Removes names and secrets. What the ledger and the law need stays: executions, intents, accounts, sums and the chain
 * of the audit log, all of which know an organization and a person by their ids.
 */
export function mongoErasures(
  connection: Connection,
  { worker, eraseSignIn, isTakenAgain, eraseProvider, now }: Input,
): Erasures {
  const records = mongoErasureRecords(connection, worker)
  let writes = 0
  const of = (name: string) => connection.db!.collection<Row>(name)
  const forget = (name: string, filter: object) => tellingRefusal(connection, () => of(name).deleteMany(filter))

  /** Changes versioned records in such a way that whoever read one before is refused, and reads it anew. */
  const change = (name: string, filter: object, $set: object) =>
    tellingRefusal(connection, () =>
      of(name).updateMany(filter, {
        $set: { ...$set, writer: `${worker}:erasing:${++writes}` },
        $inc: { version: 1 },
      } as never),
    )

  /**
   * Removes the names that are a person's, and the texts in which the address stands between other words or signs. No
   * index finds these, so all are read, in parts: a question that takes long is given up.
   */
  async function forgetNames(address: string): Promise<void> {
    await forget('auditNames', { folded: address })
    for (const _id of nameRanges) {
      const holding = { _id, folded: { $regex: literally(address) } }
      const found = (await of('auditNames').find(holding).toArray()) as (Row & { folded: string })[]
      const ids = found.filter(({ folded }) => holdsAddress(folded, address)).map(({ _id }) => _id)
      if (ids.length > 0) await forget('auditNames', { _id: { $in: ids } })
    }
  }

  /** Nothing of an intent that is sealed or numbered changes: only how somebody is called who changed it. */
  async function unname(filter: object): Promise<void> {
    const by = { 'changedBy.id': { $gt: '' }, ...filter }
    for (const name of ['intents', 'intentVersions'])
      await tellingRefusal(connection, () =>
        of(name).updateMany(by, { $set: { 'changedBy.label': removedName } } as never),
      )
  }

  async function person({ subject: id, email, askedAt }: Erasure): Promise<void> {
    await forget('invitations', { invitedById: id })
    // Whoever read a membership while the person joined is refused, and reads it anew.
    await tellingRefusal(connection, () =>
      of('memberships').updateMany({ 'members.personId': id } as never, {
        $pull: { members: { personId: id } } as never,
        $set: { writer: `${worker}:erasing:${++writes}` } as never,
        $inc: { version: 1 } as never,
      }),
    )
    await change('jobs', { 'asked.actor.kind': 'MEMBER', 'asked.actor.id': id }, { 'asked.actor.label': removedName })
    await unname({ 'changedBy.kind': 'MEMBER', 'changedBy.id': id }) // the index holds members alone
    await change(
      'heldChanges',
      { 'askedBy.id': id, 'askedBy.label': { $ne: removedName } },
      { 'askedBy.label': removedName },
    )
    if (email !== null) {
      // Whoever is invited since is not left behind, but asked to come back.
      await forget('invitations', { $or: [{ email }, { invitedBy: email }], createdAt: { $not: { $gt: askedAt } } })
    }
    const own = email !== null && (await isTakenAgain(id, email)) ? null : email
    if (own !== null) await forgetNames(own.toLowerCase())
    await eraseSignIn(id, own)
  }

  async function organization(organizationId: string): Promise<void> {
    const mine = { organizationId }
    const at = now()
    await forget('invitations', mine)
    const isSeated = {
      _id: organizationId,
      $or: [{ 'members.0': { $exists: true } }, { 'removed.0': { $exists: true } }],
    }
    await change('memberships', isSeated, { members: [], removed: [] })
    await change('apiKeys', { ...mine, revokedAt: null }, { revokedAt: at })
    await change('apiKeys', { ...mine, revokedAt: { $gt: at } }, { revokedAt: at })
    await change('apiKeys', { ...mine, label: { $ne: removedName } }, { label: removedName, allowedAddresses: [] })
    await change('webhookEndpoints', { ...mine, deletedAt: null }, { deletedAt: at, updatedAt: at })
    const bare = { url: 'https://removed.invalid', description: null, disablings: [], secret: '', enabled: false }
    await change(
      'webhookEndpoints',
      { ...mine, secret: { $ne: '' } },
      { ...bare, previousSecret: null, previousExpiresAt: null, updatedAt: at },
    )
    await forget('webhookDeliveries', { ...mine, type: { $in: namingTypes } })
    await forget('noticeBooks', { _id: organizationId })
    await forget('heldChanges', mine)
    await forget('askedChanges', mine)
    await change('accounts', { ...mine, label: { $ne: null } }, { label: null })
    await change('jobs', { ...mine, 'asked.actor.label': { $ne: removedName } }, { 'asked.actor.label': removedName })
    await unname(mine)
    // Its connection names those links, so it goes after them.
    const known = (await of('organizations').findOne({ _id: organizationId })) as { sso?: { id: string } | null } | null
    await eraseProvider(organizationId, known?.sso?.id ?? null)
    await forget('domainClaims', mine)
    const names = {
      name: removedName,
      sso: null,
      slug: organizationId.toLowerCase().replace(/_/g, '-'),
      depositPage: null,
    }
    await change('organizations', { _id: organizationId, name: { $ne: removedName } }, names)
    await forget('auditNames', mine)
  }

  /**
   * Nobody is left to approve or withdraw a change of a recipient. This is done only when the organization's keys have
   * been revoked for some time: for a few seconds other processes still take them.
   */
  const endHold = (organizationId: string) =>
    change('organizations', { _id: organizationId, recipientHold: { $ne: null } }, { recipientHold: null })

  const carryOut: Erasures['carryOut'] = (erasure) =>
    erasure.kind === 'PERSON' ? person(erasure) : organization(erasure.subject)

  return {
    load: records.load,
    save: records.save,
    carryOut,
    async finish(before) {
      const found = await records.unfinished(before)
      for (const one of found) {
        if (one.kind === 'ORGANIZATION') await endHold(one.subject)
        await carryOut(one)
        const done = { email: null, doneAt: now() }
        await rewrite(records, one.id, (known) => (known?.doneAt === null ? { ...known, ...done } : null))
      }
      return found.length
    },
  }
}
