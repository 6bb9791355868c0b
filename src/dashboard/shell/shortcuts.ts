import { useEffect, useEffectEvent } from 'react'
import { pageRoutes } from '../data/page-routes'
import { areTimesExact, showExactTimes } from '../ui/time'
import { showToast } from '../ui/toast'

type Acts = { find: () => void; showKeys: () => void; go: (path: string) => void }

const typed =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=combobox], [role=slider]'
export const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.matches(typed)

const offAt = 'switchyard single keys off'
/** Whether single keys act. People who speak to their computer turn them off, because it types what they say. */
export const areKeysOn = (): boolean => localStorage.getItem(offAt) === null
export const turnKeys = (isOn: boolean): void =>
  isOn ? localStorage.removeItem(offAt) : localStorage.setItem(offAt, 'yes')

/** Ctrl-K, and the single keys `/`, `?`, `t`, and `g` with the letter of a page. */
export function useShortcuts(acts: Acts): void {
  const find = useEffectEvent(() => acts.find())
  const showKeys = useEffectEvent(() => acts.showKeys())
  const go = useEffectEvent((path: string) => acts.go(path))
  useEffect(() => {
    let isGoing = false
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase()
      if ((event.ctrlKey || event.metaKey) && key === 'k') {
        event.preventDefault()
        return find()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !areKeysOn()) return
      if (document.querySelector('[role=dialog]')) return
      if (isGoing) {
        isGoing = false
        const route = pageRoutes.find((each) => each.key === key)
        if (route) go(route.path)
        return
      }
      if (key === 'g') {
        isGoing = true
        setTimeout(() => {
          isGoing = false
        }, 1_200)
      } else if (key === '/') {
        event.preventDefault()
        find()
      } else if (key === '?') showKeys()
      else if (key === 't') {
        showExactTimes(!areTimesExact())
        showToast(areTimesExact() ? 'Times are exact.' : 'Times are relative.')
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
