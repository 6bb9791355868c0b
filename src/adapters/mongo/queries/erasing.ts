import type { Connection } from 'mongoose'
import { rewrite } from '../../../domain/concurrency'
import { namingTypes } from '../../../domain/event-types'
import { literally } from '../../../domain/plain-text'
import { holdsAddress } from '../../../domain/tenant/audit-names'
import type { Erasure, Erasures } from '../../../ports/people'
import { collection, documentsOf, text, textOrNull, versioned, whole, wholeOrNull } from '../engine/collection'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'
import { rememberingRefusal } from '../engine/write-refusal'

type Input = {
  worker: string
  /** Removes the sign-in data of a person. */
  eraseSignIn: (personId: string, email: string | null) => Promise<void>
  /** Whether the address belongs to a new person now, who signed up after its person was removed. */
  isTakenAgain: (personId: string, email: string) => Promise<boolean>
  /** Removes the sessions and links of people with an organization's own identity provider. */
  eraseProvider: (organizationId: string, connectionId: string | null) => Promise<void>
  now: () => number
}
type Row = { _id: string }

const url = 'https://removed.invalid'

/** The ids of names are hashes in hexadecimal, so these sixteen ranges hold about as many each. */
const nameRanges = [...'0123456789abcdef'].map((digit, n, digits) => ({
  ...(n > 0 && { $gte: digit }),
  ...(n < digits.length - 1 && { $lt: digits[n + 1]! }),
}))

/** The writes that remove names from collections. */
function erasingWrites(connection: Connection, worker: string) {
  let writes = 0
  const of = (name: string) => connection.db!.collection<Row>(name)
  const forget = (name: string, filter: object) => rememberingRefusal(connection, () => of(name).deleteMany(filter))

  /** Changes versioned records. A writer that read an earlier version is refused, and reads again. */
  const change = (name: string, filter: object, $set: object) =>
    rememberingRefusal(connection, () =>
      of(name).updateMany(filter, {
        $set: { ...$set, writer: `${worker}:erasing:${++writes}` },
        $inc: { version: 1 },
      } as never),
    )

  /**
   * Removes the names of a person, and the texts that hold the address between other words or signs. No index finds
   * these texts, so all are read. They are read in parts, because a slow query times out.
   */
  async function forgetNames(address: string): Promise<void> {
    await forget('auditNames', { folded: address })
    for (const _id of nameRanges) {
      const holding = { _id, folded: { $regex: literally(address) } }
      const matches = (await of('auditNames').find(holding).toArray()) as (Row & { folded: string })[]
      const ids = matches.filter(({ folded }) => holdsAddress(folded, address)).map(({ _id }) => _id)
      if (ids.length > 0) await forget('auditNames', { _id: { $in: ids } })
    }
  }

  /** Changes only the displayed name of the person who changed an intent. Sealed and numbered fields stay. */
  async function unname(filter: object): Promise<void> {
    const by = { 'changedBy.id': { $gt: '' }, ...filter }
    for (const name of ['intents', 'intentVersions'])
      await rememberingRefusal(connection, () =>
        of(name).updateMany(by, { $set: { 'changedBy.label': removedName } } as never),
      )
  }

  /** Removes the names that the organization chose from its events. Their ids and positions stay. */
  async function unnameEvents(organizationId: string): Promise<void> {
    const events = connection.db!.collection<Row & { text: string }>('events')
    const naming = { organizationId, type: { $in: [...namingTypes] } }
    const rows = await events
      .find(naming, { projection: { text: 1 } })
      .hint('organization')
      .toArray()
    for (const { _id, text } of rows) {
      const { data, ...event } = JSON.parse(text)
      const bare = { ...('label' in data && { label: removedName }), ...('url' in data && { url, description: null }) }
      const $set = { text: JSON.stringify({ ...event, data: { ...data, ...bare } }) }
      await rememberingRefusal(connection, () => events.updateOne({ _id }, { $set }))
    }
  }

  /** Removes a person from the members of every organization. A writer that read before is refused, and reads again. */
  const leave = (id: string) =>
    rememberingRefusal(connection, () =>
      of('memberships').updateMany({ 'members.personId': id } as never, {
        $pull: { members: { personId: id } } as never,
        $set: { writer: `${worker}:erasing:${++writes}` } as never,
        $inc: { version: 1 } as never,
      }),
    )

  return { of, forget, change, forgetNames, unname, unnameEvents, leave }
}

/**
 * Removes names and secrets. Data that the ledger and the law need stays: executions, intents, accounts, sums and the
 * chain of the audit log. These refer to an organization and a person by id.
 */
export function mongoErasures(
  connection: Connection,
  { worker, eraseSignIn, isTakenAgain, eraseProvider, now }: Input,
): Erasures {
  const records = mongoErasureRecords(connection, worker)
  const { of, forget, change, forgetNames, unname, unnameEvents, leave } = erasingWrites(connection, worker)

  async function person({ subject: id, email, askedAt }: Erasure): Promise<void> {
    await forget('invitations', { invitedById: id })
    await leave(id)
    await change('jobs', { 'asked.actor.kind': 'MEMBER', 'asked.actor.id': id }, { 'asked.actor.label': removedName })
    await unname({ 'changedBy.kind': 'MEMBER', 'changedBy.id': id }) // the index holds only members
    await change(
      'heldChanges',
      { 'askedBy.id': id, 'askedBy.label': { $ne: removedName } },
      { 'askedBy.label': removedName },
    )
    if (email !== null) {
      // A later invitation stays, because it asks the person to come back.
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
    const bare = { url, description: null, disablings: [], secret: '', enabled: false }
    await change(
      'webhookEndpoints',
      { ...mine, secret: { $ne: '' } },
      { ...bare, previousSecret: null, previousExpiresAt: null, updatedAt: at },
    )
    await forget('webhookDeliveries', { ...mine, type: { $in: namingTypes } })
    await unnameEvents(organizationId)
    await forget('noticeBooks', { _id: organizationId })
    await forget('heldChanges', mine)
    await forget('askedChanges', mine)
    await change('accounts', { ...mine, label: { $ne: null } }, { label: null })
    await change('jobs', { ...mine, 'asked.actor.label': { $ne: removedName } }, { 'asked.actor.label': removedName })
    await unname(mine)
    // The organization's connection names those links, so it goes after them.
    const record = (await of('organizations').findOne({ _id: organizationId })) as {
      sso?: { id: string } | null
    } | null
    await eraseProvider(organizationId, record?.sso?.id ?? null)
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
   * Ends the hold on recipient changes, because no member is left to approve or withdraw one. It runs only once the
   * organization's keys have been revoked for some time: other processes accept them for a few more seconds.
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
      const erasures = await records.unfinished(before)
      for (const one of erasures) {
        if (one.kind === 'ORGANIZATION') await endHold(one.subject)
        await carryOut(one)
        const done = { email: null, doneAt: now() }
        await rewrite(records, one.id, (current) => (current?.doneAt === null ? { ...current, ...done } : null))
      }
      return erasures.length
    },
  }
}

const fields = {
  ...versioned,
  kind: { ...text, enum: ['PERSON', 'ORGANIZATION'] },
  subject: text,
  email: textOrNull,
  askedAt: whole,
  doneAt: wholeOrNull,
}
const finishedMax = 10

/** Requested erasures of people and organizations. */
function mongoErasureRecords(connection: Connection, worker: string) {
  const model = collection<StoredRecord<Erasure>>(connection, 'erasures', fields, [
    [{ doneAt: 1, askedAt: 1 }, { name: 'unfinished' }],
  ])
  return {
    ...mongoRecords(documentsOf<Erasure>(model), worker),
    async unfinished(before: number): Promise<Erasure[]> {
      const query = model.find({ doneAt: null, askedAt: { $lt: before } }).sort({ askedAt: 1 })
      return (await query.limit(finishedMax).lean<StoredRecord<Erasure>[]>()).map(fromStored<Erasure>)
    },
  }
}

/** Shown instead of the name of a deleted person. */
const removedName = 'Removed'
