const lateMs = 30_000
const keptMax = 500

/** What was asked for: the same again has the same id. Two of other sides have nothing in common. */
export type Subject = { id: string; from: string; to: string }

/**
 * What fails lately. One odd token, asked again and again, is not a provider that is away: that is one which fails for
 * so many that have nothing to do with each other.
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
