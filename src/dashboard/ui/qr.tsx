import { useMemo } from 'react'
import { qrPath } from '../../domain/qr'

/** A QR code. It is black on white in both colour schemes, because cameras need that. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text])
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={path} fill="#111" />
    </svg>
  )
}
