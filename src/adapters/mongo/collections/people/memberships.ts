import type { Connection } from 'mongoose'
import type { Membership, Memberships } from '../../../../ports/people'
import { anyList, anyListOrNone, collection, documentsOf, versioned } from '../../engine/collection'
import { fromStored, mongoRecords, type Stored } from '../../engine/records'

export function mongoMemberships(connection: Connection, worker: string): Memberships {
  const model = collection<Stored<Membership>>(
    connection,
    'memberships',
    { ...versioned, members: anyList, removed: anyListOrNone },
    [[{ 'members.personId': 1 }, { name: 'person' }]],
  )
  return {
    ...mongoRecords(documentsOf<Membership>(model), worker),
    async ofPerson(personId) {
      const found = await model.find({ 'members.personId': personId } as never).lean<Stored<Membership>[]>()
      return found.map(fromStored<Membership>)
    },
  }
}
