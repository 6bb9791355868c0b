/**
 * The proof that the server requires first: the second step again, or a fresh sign-in if the person has no second step.
 */
export const provable = ['SECOND_STEP_NEEDED', 'SIGN_IN_NEEDED'] as const
export type StepUpKind = (typeof provable)[number]
type Ask = (needed: StepUpKind) => Promise<boolean>

let asking: Ask | null = null
let underWay: Promise<boolean> | null = null

/** Sets the function that asks the person for a code or a sign-in. Returns a function that removes it. */
export function onStepUp(ask: Ask): () => void {
  asking = ask
  return () => {
    if (asking === ask) asking = null
  }
}

/** Asks the person once, even if several requests need the proof. Resolves to whether it was given. */
export function stepUp(needed: StepUpKind): Promise<boolean> {
  underWay ??= (asking?.(needed) ?? Promise.resolve(false)).finally(() => {
    underWay = null
  })
  return underWay
}
