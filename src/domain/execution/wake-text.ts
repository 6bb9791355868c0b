/** `isNews`: something happened outside, so it is looked at even before it is due. */
export type Called = { id: string; isNews: boolean }

const newsMark = '!'

const idLengthMax = 200

/** What a wake-up says: an id, or an id that something happened to. */
export const wakeText = ({ id, isNews }: Called): string => (isNews ? `${newsMark}${id}` : id)

/** Null for what cannot be the id of an execution. */
export function calledBy(data: Uint8Array): Called | null {
  const text = new TextDecoder().decode(data)
  const isNews = text.startsWith(newsMark)
  const id = isNews ? text.slice(1) : text
  return /^\d+(:\w+)+$/.test(id) && id.length <= idLengthMax ? { id, isNews } : null
}
