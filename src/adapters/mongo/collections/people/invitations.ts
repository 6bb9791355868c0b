import type { Connection } from 'mongoose'
import type { Invitation, Invitations, Membership, Memberships } from '../../../../ports/people'
import {
  anyList,
  anyListOrNone,
  collection,
  documentsOf,
  text,
  textOrNull,
  versioned,
  whole,
  wholeOrNull,
} from '../../engine/collection'
import { fromStored, mongoRecords, type StoredRecord } from '../../engine/records'

const fields = {
  ...versioned,
  organizationId: text,
  email: text,
  role: text,
  tokenDigest: text,
  invitedBy: text,
  invitedById: { ...textOrNull, default: undefined },
  createdAt: whole,
  expiresAt: whole,
  acceptedAt: wholeOrNull,
  withdrawnAt: wholeOrNull,
}

export function mongoInvitations(connection: Connection, worker: string): Invitations {
  const model = collection<StoredRecord<Invitation>>(connection, 'invitations', fields, [
    [{ tokenDigest: 1 }, { name: 'token' }],
    [{ organizationId: 1, createdAt: -1 }, { name: 'newest' }],
  ])
  return {
    ...mongoRecords(documentsOf<Invitation>(model), worker),
    async findByToken(tokenDigest) {
      const stored = await model.findOne({ tokenDigest, acceptedAt: null }).lean<StoredRecord<Invitation>>()
      return stored && fromStored<Invitation>(stored)
    },
    async ofOrganization(organizationId) {
      const storedRecords = await model
        .find({ organizationId })
        .sort({ createdAt: -1 })
        .limit(200)
        .lean<StoredRecord<Invitation>[]>()
      return storedRecords.map(fromStored<Invitation>)
    },
  }
}

export function mongoMemberships(connection: Connection, worker: string): Memberships {
  const model = collection<StoredRecord<Membership>>(
    connection,
    'memberships',
    { ...versioned, members: anyList, removed: anyListOrNone },
    [[{ 'members.personId': 1 }, { name: 'person' }]],
  )
  return {
    ...mongoRecords(documentsOf<Membership>(model), worker),
    async ofPerson(personId) {
      const storedRecords = await model
        .find({ 'members.personId': personId } as never)
        .lean<StoredRecord<Membership>[]>()
      return storedRecords.map(fromStored<Membership>)
    },
  }
}
