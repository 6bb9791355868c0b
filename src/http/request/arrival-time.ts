import { Elysia } from 'elysia'

type Arrived = Request & { arrivedAt?: number }

const noBody = { value: null }
const ownBody = Object.getOwnPropertyDescriptor(Request.prototype, 'body')!.get!

/**
 * Runs before all other hooks and notes when each request arrived. It uses `wrap`, because an `onRequest` hook makes
 * Elysia parse the URL of every request. It also hides `request.body`. Elysia reads that property before it calls our
 * parser, which turns the body into a stream and costs a tenth of a POST. Use `streamOf` to get the stream.
 */
export const arrivals = new Elysia({ name: 'arrivals' }).wrap((handle, request) => {
  ;(request as Arrived).arrivedAt = performance.now()
  if (request.method !== 'GET') Object.defineProperty(request, 'body', noBody)
  return handle
})

/** Returns when the request arrived, in milliseconds of `performance.now()`. */
export const arrivedAt = (request: Request): number => (request as Arrived).arrivedAt ?? performance.now()

export const streamOf = (request: Request): ReadableStream<Uint8Array> | null => ownBody.call(request)
