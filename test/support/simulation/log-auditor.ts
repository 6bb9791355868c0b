import { orphanedType, returnedType } from '../../../src/domain/event-types'
import type { LoggedEvent } from '../../../src/ports/webhooks'

type Logged = { seq: number; count: number; isReturned: boolean }

/**
 * Whether an event may follow those of its object. A provider may answer only later that a deposit is a refund. A
 * dropped block follows the detection, and has no place after an event of the record.
 */
function isInOrder({ seq, type }: LoggedEvent, { seq: last, isReturned }: Logged): boolean {
  if (type === returnedType) return !isReturned
  if (type === orphanedType) return last === 1 && !isReturned
  return seq === 0 || seq > last
}

/** Checks each event that is appended to the log, and at the end that none is missing. */
export class LogAuditor {
  private last: Pick<LoggedEvent, 'position' | 'loggedAt'> = { position: 0, loggedAt: 0 }
  private readonly ids = new Set<string>()
  /** The last number of each object's history in the log, how many events it has there, and whether it is a refund. */
  private readonly objects = new Map<string, Logged>()

  /** @param organizationOf The organization that an object belongs to. */
  constructor(private readonly organizationOf: (dataId: string) => string) {}

  /** @returns The rules that the event breaks. */
  appended(event: LoggedEvent): string[] {
    const { position, id, dataId, seq, type, loggedAt, organizationId } = event
    const known = this.objects.get(dataId) ?? { seq: 0, count: 0, isReturned: false }
    const broken = [
      ...(position === this.last.position + 1 ? [] : ['the log has a gap']),
      ...(loggedAt >= this.last.loggedAt ? [] : ['a time of the log is before an earlier one']),
      ...(this.ids.has(id) ? ['an event is logged twice'] : []),
      ...(organizationId === this.organizationOf(dataId) ? [] : ['an event belongs to another organization']),
      ...(isInOrder(event, known) ? [] : ['the events of a record are not in their order']),
    ]
    this.ids.add(id)
    this.objects.set(dataId, {
      seq: type === orphanedType ? known.seq : Math.max(seq, known.seq),
      count: known.count + 1,
      isReturned: known.isReturned || type === returnedType,
    })
    this.last = { position, loggedAt }
    return broken
  }

  /** Whether the log has so many events of an object. */
  has = (dataId: string, count: number): boolean => (this.objects.get(dataId)?.count ?? 0) >= count
}
