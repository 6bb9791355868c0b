import { Elysia } from 'elysia'

type Handle = (...request: never[]) => Response | Promise<Response>

/**
 * While the process is about to stop, closes each connection after its answer, so that the next request goes to another
 * process. A request that is sent just as a process closes an idle connection would get no answer.
 */
export const closesWhileDraining = (isDraining: () => boolean) =>
  new Elysia({ name: 'closes while draining' }).wrap((handle) => {
    if (!isDraining()) return handle
    const answer = handle as unknown as Handle
    return async (...request: never[]) => {
      const response = await answer(...request)
      response.headers.set('connection', 'close')
      return response
    }
  })
