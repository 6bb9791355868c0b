/** Permits of a counting semaphore, with holders and expiry. A holder that does not renew its permit loses it. */
export type Semaphore = { id: string; version: number; held: Permit[]; forgetAt: number }
type Permit = { holder: string; until: number }

export type PermitRequest = {
  holder: string
  most: number
  until: number
  /** Holders that also count, although they are stored elsewhere. */
  others?: readonly string[]
}

/** Returns the semaphore with the holder added, or null if no permit is free. */
export function withHolder(semaphore: Semaphore, { holder, most, until, others = [] }: PermitRequest, now: number) {
  const alive = semaphore.held.filter((each) => each.until > now && each.holder !== holder)
  const taken = new Set([...alive.map((each) => each.holder), ...others])
  taken.delete(holder)
  if (taken.size >= most) return null
  const held = [...alive, { holder, until }]
  return { ...semaphore, held, forgetAt: Math.max(...held.map((each) => each.until)) }
}

export const withoutHolder = (semaphore: Semaphore, holder: string): Semaphore => ({
  ...semaphore,
  held: semaphore.held.filter((each) => each.holder !== holder),
})
