import { type AnyElysia, Elysia } from 'elysia'
import icon from 'swagger-ui-dist/favicon-32x32.png' with { type: 'file' }
import styles from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { type DocsOptions, describeRoutes } from './openapi'
import { convertModels } from './openapi-schema'
import { hidden } from './operation-docs'
import { documentPaths, wellKnown } from './well-known'

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
  url: '/docs/json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null, persistAuthorization: false,
  displayRequestDuration: true, tryItOutEnabled: true, defaultModelsExpandDepth: 0,
  requestInterceptor: (request) =>
    /\\/events\\/stream/.test(request.url) ? Object.assign(request, { userFetch: beginningOf }) : request,
})

// This page shows a response only after it ends, and a stream never ends. So it shows the first seconds of a stream.
async function beginningOf(url, options) {
  const { body, status, statusText, headers } = await fetch(url, options)
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  setTimeout(() => reader.cancel(), 3000)
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  return new Response(text, { status, statusText, headers })
}
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

const docsPage = () =>
  new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-cache',
    },
  })

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Serves the documentation. A plugin makes the document. The page is our own, so it loads nothing external. */
export function docs(api: AnyElysia, options: DocsOptions) {
  let text: Promise<string> | null = null

  /**
   * Builds the document over several turns of the event loop: in a single turn, it blocked every other request for 0.1
   * s.
   */
  async function buildDocument(): Promise<string> {
    const { swaggerPlugin } = await import('./swagger-plugin')
    for (const _ of convertModels()) await nextTurn()
    for (const _ of describeRoutes(api)) await nextTurn()
    const app = swaggerPlugin(api, options)
    await nextTurn()
    return (await app.handle(new Request('http://localhost/docs/json'))).text()
  }

  const document = async () => {
    text ??= buildDocument()
    return new Response(await text, { headers: { 'content-type': 'application/json; charset=utf-8' } })
  }

  const documents = new Elysia()
  for (const path of documentPaths) documents.get(path, document, hidden)
  return new Elysia({ name: 'docs' })
    .use(documents)
    .use(wellKnown(options))
    .get('/', () => new Response(null, { status: 302, headers: { location: '/docs' } }), hidden)
    .get('/docs', docsPage, hidden)
    .get('/swagger', docsPage, hidden)
    .get('/docs/assets/swagger-ui-bundle.js', asset(script, 'text/javascript; charset=utf-8'), hidden)
    .get('/docs/assets/swagger-ui.css', asset(styles, 'text/css; charset=utf-8'), hidden)
    .get('/docs/assets/icon.png', asset(icon, 'image/png'), hidden)
    .get(
      '/docs/assets/start.js',
      () => new Response(start, { headers: { 'content-type': 'text/javascript; charset=utf-8' } }),
      hidden,
    )
}
