import { useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'

/** Where the focus was, or what opened the menu that it was in: the menu is gone when a dialog of it closes. */
function placeOf(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = menu ? document.getElementById(menu) : null
  return opener ?? (focused instanceof HTMLElement && focused !== document.body ? focused : null)
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body
const main = (): HTMLElement | null => document.getElementById('main')

/** While `isOn` somebody else has the focus; then it is given back to where it was, or to the page. */
export function useFocusBack(isOn: boolean): void {
  useLayoutEffect(() => {
    if (!isOn) return
    const before = placeOf(document.activeElement)
    return () => {
      // What the dialog led to may take it; else nothing has it.
      setTimeout(() => {
        const inDialog = document.activeElement?.closest('[role=dialog]')
        if (!isLost() && !inDialog) return
        if (before?.isConnected) before.focus({ preventScroll: true })
        else main()?.focus({ preventScroll: true })
      })
    }
  }, [isOn])
}

const waitMs = 3_000

/**
 * Until the new page is there nothing may have the focus: then the page has it, or the link to `href` as soon as that
 * is there. Whoever was quicker keeps it.
 */
function keepFocus(href?: string): () => void {
  const find = () => {
    const link = [...document.querySelectorAll<HTMLAnchorElement>('#main a')].find(
      (each) => href !== undefined && each.getAttribute('href') === href,
    )
    if (link && (isLost() || document.activeElement === main())) {
      link.focus({ preventScroll: true })
      stop()
    } else if (isLost()) main()?.focus({ preventScroll: true })
  }
  const watch = new MutationObserver(find)
  const timer = setTimeout(() => stop(), waitMs)
  const stop = () => {
    watch.disconnect()
    clearTimeout(timer)
  }
  watch.observe(main() ?? document.body, { childList: true, subtree: true })
  find()
  return stop
}

const here = (): string => `${window.location.pathname}${window.location.search}`

/** After each change of place the focus is on the page, and after Back on the link by which it was left. */
export function usePageFocus(): void {
  const [location] = useLocation()
  const search = useSearch()
  const stop = useRef(() => {})
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what changes
  useEffect(() => {
    stop.current = keepFocus()
    return () => stop.current()
  }, [location, search])
  useEffect(() => {
    const leftBy = new Map<string, string>()
    // A window calls its listeners in the order in which they came: the router's has drawn the page already.
    const back = () => {
      stop.current()
      stop.current = keepFocus(leftBy.get(here()))
    }
    const leave = (event: MouseEvent) => {
      const href = (event.target as Element | null)?.closest?.('#main a')?.getAttribute('href')
      if (href) leftBy.set(here(), href)
    }
    addEventListener('popstate', back)
    addEventListener('click', leave, true)
    return () => {
      removeEventListener('popstate', back)
      removeEventListener('click', leave, true)
    }
  }, [])
}
