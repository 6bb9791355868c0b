import { Elysia } from 'elysia'
import type { Access, Call, Caller, Gate } from './caller'
import { readBody } from './read-body'

export const bodyBytesMax = 64 * 1024

type Entered = Call & { entered?: Caller }

/**
 * Every route after it in the same instance has a `caller`. Strangers are refused before a byte of the body is read:
 * `onParse` comes first, `derive` serves what has no body. All of it is `async`, because Elysia awaits by the source
 * text: a promise from a hook that does not say so would let the handler run.
 */
export const authenticate = (gate: Gate, access: Access) =>
  new Elysia()
    .onParse({ as: 'scoped' }, async (context) => {
      const call = context as unknown as Entered
      call.entered = await gate(call, access)
      // A DELETE says all it has to say in its path: what else came with it is not read.
      return call.request.method === 'DELETE' ? {} : readBody(call.request, bodyBytesMax)
    })
    .derive({ as: 'scoped' }, async (context) => {
      const call = context as unknown as Entered
      return { caller: call.entered ?? (await gate(call, access)) }
    })
