import type { Connection } from 'mongoose'
import type { Invitation, Invitations } from '../../../../ports/people'
import { collection, documentsOf, text, textOrNull, versioned, whole, wholeOrNull } from '../../engine/collection'
import { fromStored, mongoRecords, type Stored } from '../../engine/records'

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
  const model = collection<Stored<Invitation>>(connection, 'invitations', fields, [
    [{ tokenDigest: 1 }, { name: 'token' }],
    [{ organizationId: 1, createdAt: -1 }, { name: 'newest' }],
  ])
  return {
    ...mongoRecords(documentsOf<Invitation>(model), worker),
    async findByToken(tokenDigest) {
      const stored = await model.findOne({ tokenDigest }).lean<Stored<Invitation>>()
      return stored && fromStored<Invitation>(stored)
    },
    async ofOrganization(organizationId) {
      const found = await model.find({ organizationId }).sort({ createdAt: -1 }).limit(200).lean<Stored<Invitation>[]>()
      return found.map(fromStored<Invitation>)
    },
  }
}
