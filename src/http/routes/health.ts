import { Elysia } from 'elysia'
import { type, view } from '../../domain/schema'
import { operationDocs } from '../openapi/operation-docs'
import { described, isoTime, Time } from '../views/scalar'

export const HealthView = view({
  status: described(type("'ok'"), 'The process responds', 'ok'),
  timestamp: Time('The current time', '2026-11-21T10:00:00.000Z'),
})

/** Shows that this process responds. `/ready` checks its dependencies (interface 4.1). */
export const health = (now: () => number, prefix: string) =>
  new Elysia({ prefix }).get(
    '/health',
    ({ set }) => {
      set.headers['cache-control'] = 'no-store'
      return { status: 'ok', timestamp: isoTime(now()) }
    },
    operationDocs({
      operationId: 'getHealth',
      tag: 'Getting started',
      summary: 'Check that the service responds',
      description: 'Needs no key.',
      roles: [],
      answers: {
        200: {
          view: HealthView,
          description: 'The service responds.',
          example: { status: 'ok', timestamp: '2026-11-21T10:00:00.000Z' },
        },
      },
      refusals: [],
    }),
  )
