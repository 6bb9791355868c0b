/** A server-sent message; `data` is empty if only an id was sent. */
export type Message = { event: string; data: string; id: string | null; retryMs: number | null }

/**
 * Reads messages from a text stream in chunks of any size.
 *
 * @param quietMs Longest silence, without even a comment, before `onQuiet` is called.
 */
export async function* messagesOf(
  stream: ReadableStream<Uint8Array>,
  { quietMs, onQuiet }: { quietMs: number; onQuiet: () => void },
): AsyncGenerator<Message, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let endedInReturn = false
  try {
    for (;;) {
      const timer = setTimeout(onQuiet, quietMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      const piece = decoder.decode(value, { stream: true })
      // A line can end in two characters that arrive in two chunks.
      const rest = endedInReturn && piece.startsWith('\n') ? piece.slice(1) : piece
      if (piece !== '') endedInReturn = piece.endsWith('\r')
      const blocks = (text + rest.replace(/\r\n?/g, '\n')).split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const message = messageIn(block)
        if (message) yield message
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function messageIn(block: string): Message | null {
  const message: Message = { event: 'message', data: '', id: null, retryMs: null }
  const data: string[] = []
  for (const line of block.split('\n')) {
    const at = line.indexOf(':')
    const name = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (name === 'data') data.push(value)
    else if (name === 'event') message.event = value
    else if (name === 'id' && !value.includes('\0')) message.id = value
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) message.retryMs = Number(value)
  }
  message.data = data.join('\n')
  return data.length > 0 || message.id !== null || message.retryMs !== null ? message : null
}
