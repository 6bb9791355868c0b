import { BoundedMap } from '../../domain/bounded-map'

const lateMs = 30_000
const keptMax = 500

/** What a request was about. The same request has the same id, and requests with different sides are unrelated. */
export type Subject = { id: string; from: string; to: string }

/**
 * The recent failures. A provider is down when many unrelated requests fail, not when one odd token fails again and
 * again.
 */
export function recentFailures(now: () => number, distinctLeast: number) {
  const failed = new BoundedMap<string, Subject & { at: number }>(keptMax)

  return {
    note(subject: Subject, isFailure: boolean): void {
      if (isFailure) failed.set(subject.id, { ...subject, at: now() })
      else failed.delete(subject.id)
    },
    isEverybody(): boolean {
      const late = [...failed.values()].filter(({ at }) => at > now() - lateMs)
      const isMany = (side: 'from' | 'to') => new Set(late.map((subject) => subject[side])).size >= distinctLeast
      return isMany('from') && isMany('to')
    },
  }
}
