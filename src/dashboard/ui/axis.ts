/**
 * The upper end of an axis: not below the highest value, and such that it and half of it have one significant digit, so
 * that no label is rounded. It is at least 2, so that half of a count is a whole number.
 */
export function axisTop(most: number): number {
  if (most <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(most))
  return [2, 4, 6, 8, 10].map((each) => each * power).find((each) => each >= most)!
}
