import { Elysia } from 'elysia'
import type { Access, Call, Caller, Gate } from './caller'
import { readBody } from './read-body'
import { nameRequest } from './request-id'

export const bodyBytesMax = 64 * 1024

/**
 * Every route after it in the same instance has a `caller`. Strangers are refused before a byte of the body is read:
 * `onParse` comes first, `derive` serves what has no body. `derive` is `async`, because Elysia awaits by the source
 * text: a promise from a hook that does not say so would let the handler run. What is used is taken by name, because
 * Elysia makes all there is, cookies too, for a hook that takes the whole.
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
        // A DELETE says all it has to say in its path: what else came with it is not read.
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
