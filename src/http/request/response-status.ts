type Set = { status?: number | string | undefined }

/** The status that an answer is about to have. A `Response` carries its own. */
export function statusOf({ status }: Set, answer: unknown): number {
  if (typeof status === 'number' && status !== 200) return status
  return answer instanceof Response ? answer.status : 200
}

/**
 * The return value of a `mapResponse` hook that only observes. It is nothing, except where no route was found: there
 * Elysia sends whatever the hook returns. Observing in `mapResponse` is cheaper than in `onAfterResponse`, which costs
 * every request a turn of the event loop.
 */
export const passUnrouted = (route: string | undefined, answer: unknown): Response | undefined =>
  route === undefined ? (answer as Response) : undefined
