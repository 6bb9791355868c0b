import type { Connection } from 'mongoose'
import type { Organization } from '../../../domain/tenant/organization'
import type { DomainClaim } from '../../../domain/tenant/sso'
import type { Organizations } from '../../../ports/tenants'
import { anyOrNull, collection, documentsOf, flag, text, textOrNull, versioned, whole } from '../engine/collection'
import { oneIndex, pagedBy } from '../engine/page'
import { plainRecords } from '../engine/plain-records'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'

const fields = {
  ...versioned,
  name: text,
  slug: text,
  salt: text,
  plan: text,
  customPlan: anyOrNull,
  policy: { ...anyOrNull, default: undefined },
  policySeal: { ...textOrNull, default: undefined },
  depositPage: { ...anyOrNull, default: undefined },
  demandsSecondStep: { type: Boolean },
  sso: { ...anyOrNull, default: undefined },
  recipientHold: { ...anyOrNull, default: undefined },
  isPlatform: flag,
  createdAt: whole,
}

/** The organization that holds each e-mail domain. */
export const mongoDomainClaims = plainRecords<DomainClaim>('domainClaims', { organizationId: text, provedAt: whole })

export function mongoOrganizations(connection: Connection, worker: string): Organizations {
  const model = collection<StoredRecord<Organization>>(connection, 'organizations', fields, [
    [{ createdAt: -1, _id: -1 }, { name: 'created' }],
  ])
  const { page } = pagedBy(
    model,
    oneIndex(() => 'created'),
  )
  return {
    ...mongoRecords(documentsOf<Organization>(model), worker),
    async list(wanted) {
      return (await page({}, { field: 'createdAt' }, wanted)).map(fromStored<Organization>)
    },
    async all() {
      return (await model.find().sort({ createdAt: 1 }).lean<StoredRecord<Organization>[]>()).map(
        fromStored<Organization>,
      )
    },
  }
}
