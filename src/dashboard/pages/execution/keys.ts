import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { queryOf } from '../../data/api'
import { choicesOf } from '../../data/read'
import type { ExecutionDetail, ExecutionRow } from '../../data/types'
import { useRead } from '../../data/use-read'
import { areKeysOn, isTyping } from '../../shell/shortcuts'
import { showToast } from '../../ui/toast'

/** The left and right arrow keys step through the history. */
export function useKeys(last: number, shown: number, choose: (step: number | null) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'ArrowLeft') choose(Math.max(shown - 1, 1))
      if (event.key === 'ArrowRight') choose(shown + 1 >= last ? null : shown + 1)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [last, shown, choose])
}

/** The keys `j` and `k` open the next and the previous execution of the same user. */
export function useNeighbours({ id, userId }: ExecutionDetail): void {
  const [, go] = useLocation()
  const others = useRead<ExecutionRow[]>(['neighbours', userId], `/executions${queryOf({ userId, limit: 100 })}`)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key]
      if (!step || !areKeysOn() || isTyping(event.target) || event.ctrlKey || event.metaKey) return
      if (document.querySelector('[role=dialog]')) return
      const rows = choicesOf(others)
      const at = rows.findIndex((each) => each.id === id)
      const next = rows[at + step]
      if (others.data === undefined) showToast('The other executions of this user are not loaded yet.', 'info')
      else if (at >= 0 && next) go(`/executions/${encodeURIComponent(next.id)}`)
      else showToast('No other execution of this user in that direction.', 'info')
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [others, id, go])
}
