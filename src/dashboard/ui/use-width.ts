import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/**
 * How many pixels wide the element is that `ref` is given to. It is measured before the first picture is painted, and
 * again whenever the width changes. Give the ref to an element without height: what is drawn at this width may then
 * become higher or lower without being measured once more.
 */
export function useWidth<E extends HTMLElement>(): { ref: RefObject<E | null>; width: number } {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current!
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
