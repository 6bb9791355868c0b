import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Compressed as well, unless it is so already. */
export type PageFile = { type: string; raw: Uint8Array; br: Uint8Array | null; gz: Uint8Array | null }
export type BuiltPages = { html: string; files: ReadonlyMap<string, PageFile> }

/** The pages, made when somebody first asks for them. */
export type Pages = () => Promise<BuiltPages>

const entry = new URL('../../dashboard/index.html', import.meta.url).pathname
/** Beside the bundle, which would write it into the style sheet. Its name changes when it does. */
const fontName = 'inter-1.woff2'
const font = new URL('../../dashboard/inter.woff2', import.meta.url).pathname
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
    external: [`/app/${fontName}`],
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
      const [br, gz] = await Promise.all([squeezed(raw, quality.soon), zip(raw, { level: 6 })])
      files.set(output.path.replace(/^\.?\//, ''), { type: output.type, raw, br, gz })
    }),
  )
  void squeezeMore(files)
  const raw = await Bun.file(font).bytes()
  files.set(fontName, { type: 'font/woff2', raw, br: null, gz: null })
  return { html, files }
}

/** The first visitor does not wait for the last tenth; those after have it. One at a time: others need the CPU. */
const quality = { soon: 5, later: 11 } as const
const squeezed = (raw: Uint8Array, level: number): Promise<Uint8Array> =>
  brotli(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: level } })

async function squeezeMore(files: Map<string, PageFile>): Promise<void> {
  for (const [path, file] of [...files])
    if (file.br) files.set(path, { ...file, br: await squeezed(file.raw, quality.later) })
}
