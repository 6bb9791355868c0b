/**
 * Makes untrusted text fit to be shown: removes invisible characters and those that reverse the direction of the line,
 * and cuts it to `lengthMax` characters.
 */
export const plainText = (text: string, lengthMax: number): string =>
  [...text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')].slice(0, lengthMax).join('').trim()

/** A text as a regular expression for nothing but itself. */
export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
