type Ask = () => Promise<boolean>

let asking: Ask | null = null
let underWay: Promise<boolean> | null = null

/** Sets who asks the person for a code of the second step. Returns how that is taken back. */
export function onStepUp(ask: Ask): () => void {
  asking = ask
  return () => {
    if (asking === ask) asking = null
  }
}

/** Asks for a code, once however many requests need it. Resolves to whether it was proved. */
export function stepUp(): Promise<boolean> {
  underWay ??= (asking?.() ?? Promise.resolve(false)).finally(() => {
    underWay = null
  })
  return underWay
}
