import type { PlaceWish } from '../domain/chain/relayer-places'

/** Places of which there are so many at the same time, for all processes together. */
export interface Places {
  /** Takes a place, or keeps it for longer. False: there is none, and nothing is changed. */
  hold(id: string, wish: PlaceWish): Promise<boolean>
  leave(id: string, holder: string): Promise<void>
}
