const lateMs = 30_000
const keptMax = 500

/** What a request was about. The same request has the same id, and requests with different sides are unrelated. */
export type Subject = { id: string; from: string; to: string }

/**
 * The recent failures. A provider is down when many unrelated requests fail, not when one odd token fails again and
 * again.
 */
export function recentFailures(now: () => number, distinctLeast: number) {
  const failed = new Map<string, Subject & { at: number }>()

  return {
    note(subject: Subject, isFailure: boolean): void {
      failed.delete(subject.id)
      if (!isFailure) return
      failed.set(subject.id, { ...subject, at: now() })
      if (failed.size > keptMax) failed.delete(failed.keys().next().value!)
    },
    isEverybody(): boolean {
      const late = [...failed.values()].filter(({ at }) => at > now() - lateMs)
      const isMany = (side: 'from' | 'to') => new Set(late.map((subject) => subject[side])).size >= distinctLeast
      return isMany('from') && isMany('to')
    },
  }
}
