/** Sends a text in parts. A part is made when the reader is ready, and a reader that leaves ends the work. */
export function textStream(parts: AsyncGenerator<string>, headers: Record<string, string>): Response {
  const bytes = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(bytes.encode(value))
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
  return new Response(body, { headers })
}

/** Longest pause in seconds between two parts, for slow readers. */
export const partTimeoutS = 120
