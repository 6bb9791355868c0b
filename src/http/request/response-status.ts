type Set = { status?: number | string | undefined }

/** The status of an answer that is about to be given: its own where it is a whole `Response`. */
export function statusOf({ status }: Set, answer: unknown): number {
  if (typeof status === 'number' && status !== 200) return status
  return answer instanceof Response ? answer.status : 200
}

/**
 * What a hook on answers gives back that only looks: nothing, but where no route was found Elysia takes whatever the
 * hook gives back for the answer. Looking there costs less than `onAfterResponse`, which is a turn of the event loop
 * for every request.
 */
export const passUnrouted = (route: string | undefined, answer: unknown): Response | undefined =>
  route === undefined ? (answer as Response) : undefined
