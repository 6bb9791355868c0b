/**
 * Makes untrusted text safe to show. It removes invisible characters and those that reverse the text direction, then
 * cuts the text to `lengthMax` characters.
 */
export const plainText = (text: string, lengthMax: number): string =>
  [...text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')].slice(0, lengthMax).join('').trim()

/** Escapes a text for a regular expression that matches exactly this text. */
export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
