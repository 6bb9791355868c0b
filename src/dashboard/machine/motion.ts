import { useEffect, useRef } from 'react'
import type { Box } from './layout'

/** Sends a dot along a line for a transition that has just happened. */
export function travel(parent: SVGGElement, d: string, tone: string): void {
  const dot = document.createElementNS('http://www.w3.org/2000/svg', 'circle')
  dot.setAttribute('r', '4')
  dot.setAttribute('class', `dot t-${tone}`)
  dot.style.offsetPath = `path("${d}")`
  parent.append(dot)
  const frames = [
    { offsetDistance: '0%', opacity: 1 },
    { offsetDistance: '100%', opacity: 1, offset: 0.9 },
    { offsetDistance: '100%', opacity: 0 },
  ]
  const gone = () => dot.remove()
  dot.animate(frames, { duration: 800, easing: 'ease-in-out' }).finished.then(gone, gone)
}

/** Scrolls the map to show the current state on a narrow screen. */
export function useScrolledTo(box: Box | undefined) {
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = scroller.current
    if (!element || !box || element.scrollWidth <= element.clientWidth) return
    const svg = element.querySelector('svg')!
    const scale = svg.clientWidth / svg.viewBox.baseVal.width
    element.scrollTo({ left: (box.x + box.w / 2) * scale - element.clientWidth / 2 })
  }, [box])
  return scroller
}
