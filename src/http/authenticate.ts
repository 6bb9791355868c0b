import { Elysia } from 'elysia'
import type { Access, Call, Gate } from './caller'
import { readBody } from './read-body'

export const bodyBytesMax = 64 * 1024

/**
 * Every route after it in the same instance has a `caller`. Strangers are refused before a byte of the body is read:
 * `onParse` comes first, `derive` serves what has no body. All of it is `async`, because Elysia awaits by the source
 * text: a promise from a hook that does not say so would let the handler run. What is used is taken by name, because
 * Elysia makes all there is, cookies too, for a hook that takes the whole.
 */
export const authenticate = (gate: Gate, access: Access) =>
  new Elysia()
    .onParse({ as: 'scoped' }, async ({ request, set, server }) => {
      const call: Call = { request, set, server }
      call.set.entered = await gate(call, access)
      // A DELETE says all it has to say in its path: what else came with it is not read.
      return request.method === 'DELETE' ? {} : readBody(request, bodyBytesMax)
    })
    .derive({ as: 'scoped' }, async ({ request, set, server }) => {
      const call: Call = { request, set, server }
      return { caller: call.set.entered ?? (await gate(call, access)) }
    })
