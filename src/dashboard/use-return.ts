import { useEffect } from 'react'
import { useLocation, useSearch } from 'wouter'

/** By place: the link by which it was left. */
const leftBy = new Map<string, string>()
const here = (): string => `${location.pathname}${location.search}`
const waitMsMax = 4_000

/** Whoever comes back to a list has the focus where it was: on the link that led away. */
export function useReturn(): void {
  const [path] = useLocation()
  const search = useSearch()
  useEffect(() => {
    const left = ({ target }: MouseEvent) => {
      const link = target instanceof Element ? target.closest<HTMLAnchorElement>('main a[href]') : null
      if (link) leftBy.set(here(), link.getAttribute('href')!)
    }
    addEventListener('click', left, { capture: true })
    return () => removeEventListener('click', left, { capture: true })
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at after each change of place
  useEffect(() => {
    const href = leftBy.get(here())
    if (!href) return
    // The list may still be on its way.
    const seen = new MutationObserver(find)
    const end = setTimeout(stop, waitMsMax)
    const first = requestAnimationFrame(find)
    function find(): void {
      const { activeElement: active } = document
      const isElsewhere = active && active !== document.body && active.id !== 'main'
      const link = document.querySelector<HTMLElement>(`main a[href="${CSS.escape(href!)}"]`)
      if (isElsewhere || link) stop()
      if (!isElsewhere) link?.focus()
    }
    function stop(): void {
      seen.disconnect()
      clearTimeout(end)
    }
    seen.observe(document.body, { childList: true, subtree: true })
    return () => {
      cancelAnimationFrame(first)
      stop()
    }
  }, [path, search])
}
