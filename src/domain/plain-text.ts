/** What anybody may have written, fit to be shown: without what cannot be seen or turns the line around. */
export const plainText = (text: string, lengthMax: number): string =>
  [...text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')].slice(0, lengthMax).join('').trim()
