export type StreamMessage = { event: string; data: string; id: string | null }

/**
 * Parses a stream of server-sent events incrementally. Call the result with each piece of text. Comments are skipped.
 */
export function streamMessages(): (text: string) => StreamMessage[] {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split(/\r?\n\r?\n/)
    rest = blocks.pop()!
    return blocks.flatMap((block) => {
      const lines = block.split(/\r?\n/)
      const field = (name: string): string | null => {
        const line = lines.find((one) => one.startsWith(`${name}:`))
        return line === undefined ? null : line.slice(name.length + 1).replace(/^ /, '')
      }
      const data = field('data')
      const id = field('id')
      return data === null && id === null ? [] : [{ event: field('event') ?? 'message', data: data ?? '', id }]
    })
  }
}
