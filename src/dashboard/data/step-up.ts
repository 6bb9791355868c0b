/** What the server wants first: the second step once more, or a sign-in, from whoever has no second step. */
export const provable = ['SECOND_STEP_NEEDED', 'SIGN_IN_NEEDED'] as const
export type Needed = (typeof provable)[number]
type Ask = (needed: Needed) => Promise<boolean>

let asking: Ask | null = null
let underWay: Promise<boolean> | null = null

/** Sets who asks the person for a code or for a sign-in. Returns how that is taken back. */
export function onStepUp(ask: Ask): () => void {
  asking = ask
  return () => {
    if (asking === ask) asking = null
  }
}

/** Asks the person, once however many requests need it. Resolves to whether it was proved. */
export function stepUp(needed: Needed): Promise<boolean> {
  underWay ??= (asking?.(needed) ?? Promise.resolve(false)).finally(() => {
    underWay = null
  })
  return underWay
}
