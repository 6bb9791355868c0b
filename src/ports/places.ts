import type { PlaceWish } from '../domain/chain/relayer-places'

/** A limited number of places that all processes share. */
export interface Places {
  /** Takes a place, or keeps it for longer. Returns false and changes nothing when there is none. */
  hold(id: string, wish: PlaceWish): Promise<boolean>
  leave(id: string, holder: string): Promise<void>
}
