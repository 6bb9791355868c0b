import { Elysia } from 'elysia'

type Arrived = Request & { arrivedAt?: number }

const nothing = { value: null }
const ownBody = Object.getOwnPropertyDescriptor(Request.prototype, 'body')!.get!

/**
 * What is done to every request before anything else. It wraps the whole, because for an `onRequest` Elysia takes the
 * URL of every request apart. Elysia looks at `request.body` before it asks our parser, and looking makes a stream of a
 * body that is read at once as text otherwise: a tenth of what a POST costs. It sees none here; `streamOf` is for who
 * wants one.
 */
export const arrivals = new Elysia({ name: 'arrivals' }).wrap((handle, request) => {
  ;(request as Arrived).arrivedAt = performance.now()
  if (request.method !== 'GET') Object.defineProperty(request, 'body', nothing)
  return handle
})

/** By the clock of `performance`. */
export const arrivedAt = (request: Request): number => (request as Arrived).arrivedAt ?? performance.now()

export const streamOf = (request: Request): ReadableStream<Uint8Array> | null => ownBody.call(request)
