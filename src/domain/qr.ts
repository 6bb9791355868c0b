import { encode } from 'uqr'

/** Returns the dark squares of a QR code as an SVG path, in a square of `size`. */
export function qrPath(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: 0 })
  return {
    size,
    path: data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : []))).join(''),
  }
}
