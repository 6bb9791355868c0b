import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import icon from 'swagger-ui-dist/favicon-32x32.png' with { type: 'file' }
import styles from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { type DocsOptions, openApiDocument } from './openapi'
import { hidden } from './operation'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchyard API</title>
<link rel="icon" href="/docs/assets/icon.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
`

const start = `window.ui = SwaggerUIBundle({
  url: '/docs/json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null, persistAuthorization: true,
  displayRequestDuration: true, tryItOutEnabled: true, defaultModelsExpandDepth: 0,
})
`

const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const asset = (file: unknown, contentType: string) => () =>
  new Response(Bun.file(file as string), {
    headers: {
      'content-type': contentType,
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
    },
  })

/** The plugin serves the document; the page is ours, so that nothing is loaded from elsewhere. */
export const docs = (api: AnyElysia, options: DocsOptions) =>
  new Elysia({ name: 'docs' })
    .use(
      swagger({
        path: '/docs/plugin',
        specPath: '/docs/json',
        provider: 'swagger-ui',
        exclude: /.*/,
        documentation: openApiDocument(api, options) as never,
      }),
    )
    .get(
      '/docs',
      () =>
        new Response(page, {
          headers: {
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy': policy,
            'cache-control': 'no-cache',
          },
        }),
      hidden,
    )
    .get('/docs/assets/swagger-ui-bundle.js', asset(script, 'text/javascript; charset=utf-8'), hidden)
    .get('/docs/assets/swagger-ui.css', asset(styles, 'text/css; charset=utf-8'), hidden)
    .get('/docs/assets/icon.png', asset(icon, 'image/png'), hidden)
    .get(
      '/docs/assets/start.js',
      () => new Response(start, { headers: { 'content-type': 'text/javascript; charset=utf-8' } }),
      hidden,
    )
