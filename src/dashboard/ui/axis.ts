/**
 * Where an axis ends: at or above the highest value, and such that it and its half have one digit that is not zero, so
 * that no label has to be rounded. At least 2: half of it is a whole number, as counts are.
 */
export function axisTop(most: number): number {
  if (most <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(most))
  return [2, 4, 6, 8, 10].map((each) => each * power).find((each) => each >= most)!
}
