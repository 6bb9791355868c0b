/** The execution to look at. `isNews`: something happened outside, so it is looked at even before it is due. */
export type Called = { id: string; isNews: boolean }

const newsMark = '!'

const idLengthMax = 200

/** Returns the text of a wake-up: an id, marked when there is news. */
export const wakeText = ({ id, isNews }: Called): string => (isNews ? `${newsMark}${id}` : id)

/** Reads a wake-up. Returns null for what cannot be the id of an execution. */
export function calledBy(data: Uint8Array): Called | null {
  const text = new TextDecoder().decode(data)
  const isNews = text.startsWith(newsMark)
  const id = isNews ? text.slice(1) : text
  return /^\d+(:\w+)+$/.test(id) && id.length <= idLengthMax ? { id, isNews } : null
}
