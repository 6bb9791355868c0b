type Set = { status?: number | string | undefined }

/** Returns the status that a response will have. A `Response` carries its own. */
export function statusOf({ status }: Set, answer: unknown): number {
  if (typeof status === 'number' && status !== 200) return status
  return answer instanceof Response ? answer.status : 200
}

/**
 * Returns the value for a `mapResponse` hook that only observes. If no route matched, Elysia sends the hook's return
 * value, so this returns the response. Otherwise it returns undefined. Observing in `mapResponse` is cheaper than in
 * `onAfterResponse`, which costs every request a turn of the event loop.
 */
export const passUnrouted = (route: string | undefined, answer: unknown): Response | undefined =>
  route === undefined ? (answer as Response) : undefined
