import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { type DocsOptions, openApiDocument } from './openapi'

/** The plugin that serves the document. It is loaded at the first request, not when the service starts. */
export const swaggerPlugin = (api: AnyElysia, options: DocsOptions): AnyElysia =>
  new Elysia().use(
    swagger({
      path: '/docs/plugin',
      specPath: '/docs/json',
      provider: 'swagger-ui',
      exclude: /.*/,
      documentation: openApiDocument(api, options) as never,
    }),
  )
