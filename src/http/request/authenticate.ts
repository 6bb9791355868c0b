import { Elysia } from 'elysia'
import type { Access, Call, Caller, Gate } from './caller'
import { readBody } from './read-body'
import { nameRequest } from './request-id'

export const bodyBytesMax = 64 * 1024

/**
 * Gives every later route of the same instance a `caller`. Unauthenticated requests are refused before any of the body
 * is read: `onParse` runs first, and `derive` covers requests without a body. `derive` must be written as `async`,
 * because Elysia decides from the source text of a hook whether to await it. The hooks name the properties that they
 * use, because Elysia prepares everything, cookies included, for a hook that takes the whole context.
 */
export const authenticate = (gate: Gate, access: Access) => {
  const enter = (call: Call): Caller | Promise<Caller> => {
    nameRequest(call.request, call.set)
    return gate(call, access)
  }
  return new Elysia()
    .onParse({ as: 'scoped' }, ({ request, set }) => {
      const call: Call = { request, set }
      const read = (caller: Caller) => {
        call.set.entered = caller
        // The path alone describes a DELETE, so its body is not read.
        return request.method === 'DELETE' ? {} : readBody(request, bodyBytesMax)
      }
      const caller = enter(call)
      return caller instanceof Promise ? caller.then(read) : read(caller)
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => {
      const call: Call = { request, set }
      return { caller: call.set.entered ?? (await enter(call)) }
    })
}
