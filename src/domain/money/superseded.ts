import type { Execution } from '../execution/execution'

/** Why another record has the money now: each has a field of its own, which is set once. */
export const supersedings = {
  redrivenBy: {
    event: 're-driven',
    message: 'Superseded: this money was driven again. Follow execution {id}.',
  },
  continuedBy: {
    event: 'funds returned',
    message: 'Superseded: the bridge sent the money back, and it is a deposit of its own now. Follow execution {id}.',
  },
  takenBy: {
    event: 'taken along',
    message: 'Superseded: a later deposit of the same token took the money along. Follow execution {id}.',
  },
} as const

export type SupersedingField = keyof typeof supersedings
export const supersedingFields = Object.keys(supersedings) as SupersedingField[]
/** As much of a record as tells who has its money now. Records from before a field was known do not have it. */
export type Superseded = { [Field in SupersedingField]?: string | null }
export type Successor = { id: string; by: SupersedingField }

/**
 * THE rule of who claims the money instead of this record; null while the record itself does. It is set when the
 * successor is stored, and never taken back (decision 44).
 */
export function successorOf(execution: Superseded): Successor | null {
  for (const by of supersedingFields) {
    const id = execution[by] ?? null
    if (id !== null) return { id, by }
  }
  return null
}

/** The same record as it was when the history had so many entries. What the history forgot was long before. */
export function supersededThen(execution: Execution, entries: number): Pick<Execution, SupersedingField> {
  const isKnown = (by: SupersedingField): boolean => {
    const at = execution.history.findIndex(({ event }) => event === supersedings[by].event)
    return at < entries
  }
  const then = (by: SupersedingField) => (isKnown(by) ? (execution[by] ?? null) : null)
  return { redrivenBy: then('redrivenBy'), continuedBy: then('continuedBy'), takenBy: then('takenBy') }
}
