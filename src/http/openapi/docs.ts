import { type AnyElysia, Elysia } from 'elysia'
import icon from 'swagger-ui-dist/favicon-32x32.png' with { type: 'file' }
import styles from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { type CompressedFile, compressedFile, sendFile } from '../request/compressed-file'
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
<script src="/docs/assets/scheme.js"></script>
<link rel="icon" href="/docs/assets/icon.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/docs/assets/page.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
`

const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const beside = (name: string): string => new URL(`page/${name}`, import.meta.url).pathname
const [javascript, css] = ['text/javascript; charset=utf-8', 'text/css; charset=utf-8']

/** Files of the page. Those of the viewer change with its version only, and browsers keep them for a day. */
const assets = [
  { name: 'swagger-ui-bundle.js', path: script, type: javascript, cacheControl: 'public, max-age=86400' },
  { name: 'swagger-ui.css', path: styles, type: css, cacheControl: 'public, max-age=86400' },
  { name: 'icon.png', path: icon, type: 'image/png', cacheControl: 'public, max-age=86400' },
  { name: 'scheme.js', path: beside('scheme.js'), type: javascript, cacheControl: 'no-cache' },
  { name: 'start.js', path: beside('start.js'), type: javascript, cacheControl: 'no-cache' },
  { name: 'page.css', path: beside('page.css'), type: css, cacheControl: 'no-cache' },
] as const

const docsPage = () =>
  new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-cache',
    },
  })

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Reads and compresses a file at its first request. */
function atFirstRequest(read: () => Promise<Uint8Array>, type: string) {
  let file: Promise<CompressedFile> | null = null
  return () => {
    file ??= read()
      .then((raw) => compressedFile(raw, type))
      .catch((error) => {
        file = null
        throw error
      })
    return file
  }
}

/** Serves the documentation. A plugin makes the document. The page is our own, so it loads nothing external. */
export function docs(api: AnyElysia, options: DocsOptions) {
  /**
   * Builds the document over several turns of the event loop: in a single turn, it blocked every other request for 0.1
   * s.
   */
  async function buildDocument(): Promise<Uint8Array> {
    const { swaggerPlugin } = await import('./swagger-plugin')
    for (const _ of convertModels()) await nextTurn()
    for (const _ of describeRoutes(api)) await nextTurn()
    const app = swaggerPlugin(api, options)
    await nextTurn()
    return (await app.handle(new Request('http://localhost/docs/json'))).bytes()
  }

  const document = atFirstRequest(buildDocument, 'application/json; charset=utf-8')

  const documents = new Elysia()
  for (const path of documentPaths)
    documents.get(path, async ({ request }) => sendFile(await document(), request, {}), hidden)
  for (const { name, path, type, cacheControl } of assets) {
    const file = atFirstRequest(() => Bun.file(path).bytes(), type)
    const headers = { 'cache-control': cacheControl, 'x-content-type-options': 'nosniff' }
    documents.get(`/docs/assets/${name}`, async ({ request }) => sendFile(await file(), request, headers), hidden)
  }
  return new Elysia({ name: 'docs' })
    .use(documents)
    .use(wellKnown(options))
    .get('/', () => new Response(null, { status: 302, headers: { location: '/docs' } }), hidden)
    .get('/docs', docsPage, hidden)
    .get('/swagger', docsPage, hidden)
}
