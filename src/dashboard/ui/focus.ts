import { useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'

/**
 * Returns the focused element. Inside a menu it returns the menu's button, because the menu is gone when a dialog
 * opened from it closes.
 */
function placeOf(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = menu ? document.getElementById(menu) : null
  return opener ?? (focused instanceof HTMLElement && focused !== document.body ? focused : null)
}

/**
 * The last focused place outside a dialog. If a menu closes without a transition, its items are gone before a dialog
 * can read the focus.
 */
let lastPlace: HTMLElement | null = null
const notePlace = ({ target }: FocusEvent): void => {
  const place = placeOf(target as Element)
  if (place && !place.closest('[role=dialog]')) lastPlace = place
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body
const main = (): HTMLElement | null => document.getElementById('main')

/** While `isOn`, a dialog has the focus. When it closes, the focus returns to its previous place, or to the page. */
export function useFocusBack(isOn: boolean): void {
  useLayoutEffect(() => {
    if (!isOn) return
    const before = placeOf(document.activeElement) ?? lastPlace
    return () => {
      // The page opened from the dialog may have taken the focus already.
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
 * While a new page loads, the focus can be lost. The page then gets it, or the link to `href` when it appears. A focus
 * set in that time is kept.
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

/** Moves the focus to the page after each navigation, and after Back to the link that left the page. */
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
    // A window calls its listeners in order of registration, so the router has rendered the page by now.
    const back = () => {
      stop.current()
      stop.current = keepFocus(leftBy.get(here()))
    }
    const leave = (event: MouseEvent) => {
      const href = (event.target as Element | null)?.closest?.('#main a')?.getAttribute('href')
      if (href) leftBy.set(here(), href)
    }
    addEventListener('focusin', notePlace)
    addEventListener('popstate', back)
    addEventListener('click', leave, true)
    return () => {
      removeEventListener('focusin', notePlace)
      removeEventListener('popstate', back)
      removeEventListener('click', leave, true)
    }
  }, [])
}
