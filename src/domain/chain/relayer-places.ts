/** Who holds one of a limited number of places, and until when. A holder that does not renew its place loses it. */
export type PlaceBook = { id: string; version: number; held: Held[]; forgetAt: number }
type Held = { holder: string; until: number }

export type PlaceWish = {
  holder: string
  most: number
  until: number
  /** Holders that count as well, although they are stored elsewhere. */
  others?: readonly string[]
}

/** Returns the book with the holder in it, or null when there is no free place. */
export function withHolder(book: PlaceBook, { holder, most, until, others = [] }: PlaceWish, now: number) {
  const alive = book.held.filter((each) => each.until > now && each.holder !== holder)
  const taken = new Set([...alive.map((each) => each.holder), ...others])
  taken.delete(holder)
  if (taken.size >= most) return null
  const held = [...alive, { holder, until }]
  return { ...book, held, forgetAt: Math.max(...held.map((each) => each.until)) }
}

export const withoutHolder = (book: PlaceBook, holder: string): PlaceBook => ({
  ...book,
  held: book.held.filter((each) => each.holder !== holder),
})
