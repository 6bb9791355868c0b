import { useSyncExternalStore } from 'react'

let isPrinting = false
function listen(listener: () => void): () => void {
  const listening = new AbortController()
  for (const [name, is] of [['beforeprint', true] as const, ['afterprint', false] as const])
    addEventListener(
      name,
      () => {
        isPrinting = is
        listener()
      },
      { signal: listening.signal },
    )
  return () => listening.abort()
}

/** Whether the page is being printed: paper shows what a screen opens on a click. */
export const useIsPrinting = (): boolean =>
  useSyncExternalStore(
    listen,
    () => isPrinting,
    () => false,
  )
