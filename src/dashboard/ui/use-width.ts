import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/**
 * Returns the width in pixels of the element with `ref`. It is measured before the first paint and after each change of
 * width. Use an element without fixed height: content drawn at this width can then change height without another
 * measurement.
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
