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

const waitMs = 10_000
const returnedMs = 1_000

/** Moves the focus to the heading, which a screen reader then reads. Tab goes on from there. */
function focusHeading(heading: HTMLElement): void {
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

/** A page with one form begins in its first field, or at its heading. A focus in the page stays. */
export function focusFirst(page: HTMLElement): void {
  if (page.contains(document.activeElement)) return
  const field = page.querySelector<HTMLElement>('input:not([type=hidden], [readonly])')
  const heading = page.querySelector<HTMLElement>('h1')
  if (field) field.focus()
  else if (heading) focusHeading(heading)
}

/**
 * After a navigation the focus goes to the page's heading when it appears, or to the link to `href`. Until then a lost
 * focus goes to the page. A person who presses a key or button in that time, or a dialog, keeps the focus.
 */
function keepFocus(isNew: boolean, href?: string): () => void {
  let isTaken = !isNew
  let isReached = false
  const take = () => {
    isTaken = true
  }
  const act = () => {
    take()
    if (isReached) stop()
  }
  const before = document.activeElement
  const isOutside = (focused: Element) => !main()?.contains(focused) && !focused.closest('[role=dialog]')
  const find = () => {
    const link = [...document.querySelectorAll<HTMLAnchorElement>('#main a')].find(
      (each) => href !== undefined && each.getAttribute('href') === href,
    )
    const heading = document.querySelector<HTMLElement>('#main h1')
    const focused = document.activeElement
    const isFree = isLost() || focused === main() || (!isTaken && (focused === before || isOutside(focused!)))
    if (link && (isFree || focused === heading)) {
      link.focus({ preventScroll: true })
      stop()
    } else if (heading && focused !== heading && isFree) {
      focusHeading(heading)
      isReached = true
      // A menu or dialog that led here returns the focus a moment later.
      setTimeout(take, returnedMs)
    } else if (isLost()) main()?.focus({ preventScroll: true })
  }
  const watch = new MutationObserver(find)
  const timer = setTimeout(() => stop(), waitMs)
  const stop = () => {
    watch.disconnect()
    clearTimeout(timer)
    for (const each of ['keydown', 'pointerdown']) removeEventListener(each, act, true)
    removeEventListener('focusin', find)
  }
  addEventListener('focusin', find)
  for (const each of ['keydown', 'pointerdown']) addEventListener(each, act, true)
  watch.observe(main() ?? document.body, { childList: true, subtree: true })
  find()
  return stop
}

const here = (): string => `${window.location.pathname}${window.location.search}`

/** Moves the focus to the page's heading after each navigation, and after Back to the link that left the page. */
export function usePageFocus(): void {
  const [location] = useLocation()
  const search = useSearch()
  const stop = useRef(() => {})
  const shown = useRef<string>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what changes
  useEffect(() => {
    // Another filter is no other page: the focus stays in the filter.
    stop.current = keepFocus(shown.current !== location)
    shown.current = location
    return () => stop.current()
  }, [location, search])
  useEffect(() => {
    const leftBy = new Map<string, string>()
    // A window calls its listeners in order of registration, so the router has rendered the page by now.
    const back = () => {
      stop.current()
      stop.current = keepFocus(true, leftBy.get(here()))
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
