import { Elysia } from 'elysia'

type Handle = (...request: never[]) => Response | Promise<Response>

/**
 * Closes each connection after its response while the process is about to stop. The next request then goes to another
 * process. Otherwise a request sent just as the process closes an idle connection would get no response.
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
