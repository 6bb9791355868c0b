import type { Relayer, Slot } from '../../../src/domain/chain/relayer'
import type { Bug, View } from './view'

/** Relayers' records whose slots a process reads and writes differently. */
const recordsWith = (
  { relayerRecords }: View,
  read: (slots: Slot[]) => Slot[],
  written: (slots: Slot[]) => Slot[],
): View['relayerRecords'] => {
  const reading = (sender: Relayer | null) => sender && { ...sender, slots: read(sender.slots) }
  return {
    load: async (id) => reading(await relayerRecords.load(id)),
    save: async (sender) => reading(await relayerRecords.save({ ...sender, slots: written(sender.slots) })),
  }
}
const same = (slots: Slot[]) => slots
/** Hides the nonces of settled slots, and shows them again. */
const hidden = (slots: Slot[]) =>
  slots.map((slot) => (slot.attempts.length === 0 ? { ...slot, nonce: -1 - slot.nonce } : slot))
const shown = (slots: Slot[]) =>
  slots
    .map((slot) => (slot.nonce < 0 ? { ...slot, nonce: -1 - slot.nonce } : slot))
    .toSorted((a, b) => a.nonce - b.nonce)

/** Planted bugs of relayers and their transactions. */
export const bugsOfRelaying: Record<string, Bug> = {
  'a nonce counts as free once its bytes are settled': (view) => ({ relayerRecords: recordsWith(view, hidden, shown) }),
  'a slot is removed before its order expires': (view) => ({
    relayerRecords: recordsWith(view, same, (slots) => slots.filter(({ attempts }) => attempts.length > 0)),
  }),
}
