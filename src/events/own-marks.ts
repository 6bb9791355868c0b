import type { OwnMark } from '../ports/webhooks'

const marksMax = 2_000

export type OwnMarks = ReturnType<typeof ownMarks>

/** Marks set by this process since the last `take`, the newest per record. */
export function ownMarks() {
  let marks = new Map<string, OwnMark>()
  let isAll = true

  return {
    /** @param set The marks that a write set, or null if it might have set some. */
    note(set: readonly OwnMark[] | null): void {
      isAll &&= set !== null && marks.size + set.length <= marksMax
      if (isAll) for (const mark of set!) marks.set(`${mark.collection} ${mark.id}`, mark)
      else marks.clear()
    },
    /** Takes the marks. `isAll` is false if the database may hold more. */
    take() {
      const taken = { marks: [...marks.values()], isAll }
      marks = new Map()
      isAll = true
      return taken
    },
  }
}
