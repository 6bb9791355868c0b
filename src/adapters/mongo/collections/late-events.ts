import type { Connection } from 'mongoose'
import type { LateEvent, LateEvents } from '../../../ports/webhooks/late-events'
import { anyOrNull, collection, text, textOrNull, whole } from '../engine/collection'
import { insertedOnce } from '../engine/inserted-once'

type Row = LateEvent & { _id: string }

export function mongoLateEvents(connection: Connection): LateEvents {
  const fields = { eventId: text, organizationId: textOrNull, at: whole, intent: anyOrNull }
  const model = collection<Row>(connection, 'lateEvents', fields, [[{ at: 1 }, { name: 'at' }]])
  return {
    async note(late) {
      const rows = late.map((one) => ({ _id: `${one.eventId}:${one.at}`, ...one }) as Row)
      await Promise.all(rows.map((row) => insertedOnce(connection, model, row)))
    },
    async between({ organizationId }, from, to) {
      const at = { $gte: from, $lt: to }
      const whose = organizationId === null ? {} : { organizationId: { $in: [organizationId, null] } }
      const rows = await model
        .find({ at, ...whose } as never)
        .hint('at')
        .lean<Row[]>()
      return rows.map(({ _id, ...late }) => late)
    },
  }
}
