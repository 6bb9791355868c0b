import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type PageFile = { type: string; raw: Uint8Array; br: Uint8Array; gz: Uint8Array }
export type BuiltPages = { html: string; files: ReadonlyMap<string, PageFile> }

/** The pages, made when somebody first asks for them. */
export type Pages = () => Promise<BuiltPages>

const entry = new URL('../../dashboard/index.html', import.meta.url).pathname
const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
const name = '[name]-[hash].[ext]'
/** By this React leaves its checks for development out. */
const mode = ['process', 'env', 'NODE_ENV'].join('.')

/** Bundled in memory by the process that serves them: there is no second build and no folder to keep in step. */
export function builtPages(): Pages {
  let building: Promise<BuiltPages> | null = null
  return () => {
    building ??= build().catch((error) => {
      building = null
      throw error
    })
    return building
  }
}

async function build(): Promise<BuiltPages> {
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    splitting: true,
    minify: true,
    publicPath: '/app/',
    naming: { entry: name, chunk: name, asset: name },
    define: { [mode]: '"production"' },
  })
  const files = new Map<string, PageFile>()
  let html = ''
  await Promise.all(
    built.outputs.map(async (output) => {
      const raw = new Uint8Array(await output.arrayBuffer())
      if (output.path.endsWith('.html')) {
        html = new TextDecoder().decode(raw)
        return
      }
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
      const [br, gz] = await Promise.all([brotli(raw, { params }), zip(raw, { level: 6 })])
      files.set(output.path.replace(/^\.?\//, ''), { type: output.type, raw, br, gz })
    }),
  )
  return { html, files }
}
