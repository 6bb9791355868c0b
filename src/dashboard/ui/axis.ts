/**
 * Returns the upper end of an axis: at least the highest value. It and its half have one significant digit, so no label
 * is rounded. At least 2, so half of a count is a whole number.
 */
export function axisTop(most: number): number {
  if (most <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(most))
  return [2, 4, 6, 8, 10].map((each) => each * power).find((each) => each >= most)!
}
