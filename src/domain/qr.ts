import { encode } from 'uqr'

/** The dark squares of a QR code as a path, in a square of `size`. */
export function qrPath(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: 0 })
  return {
    size,
    path: data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : []))).join(''),
  }
}
