import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type Metafile, scriptsByPage } from './script-preloads'

/** Compressed as well, unless it is so already. */
export type PageFile = { type: string; raw: Uint8Array; br: Uint8Array | null; gz: Uint8Array | null }
type BuiltPages = {
  /** The page as it is seen before any script has run, by who has a session and who has none. */
  html: { isIn: string; isOut: string }
  /** By page: scripts that are asked for with the first ones, and not one after the other. */
  soon: ReadonlyMap<string, readonly string[]>
  files: ReadonlyMap<string, PageFile>
}

/** The pages, made when somebody first asks for them. */
export type Pages = () => Promise<BuiltPages>

const beside = (path: string): string => new URL(`../../dashboard/${path}`, import.meta.url).pathname
const entry = beside('index.html')
/** Beside the bundle, which would write it into the style sheet. Its name changes when it does. */
const fontName = 'inter-2.woff2'
/** Says before the first paint whether it is dark; a file, because nothing inline may run. */
const schemeName = 'scheme-1.js'
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
    metafile: true,
  })
  const files = new Map<string, PageFile>()
  let html = ''
  await Promise.all(
    built.outputs.map(async (output) => {
      const raw = new Uint8Array(await output.arrayBuffer())
      if (output.path.endsWith('.html')) html = new TextDecoder().decode(raw)
      else files.set(output.path.replace(/^\.?\//, ''), await pageFile(raw, output.type))
    }),
  )
  files.set(schemeName, await pageFile(await Bun.file(beside('scheme.js')).bytes(), 'text/javascript;charset=utf-8'))
  void squeezeMore(files)
  const font = await Bun.file(beside('styles/inter.woff2')).bytes()
  files.set(fontName, { type: 'font/woff2', raw: font, br: null, gz: null })
  const soon = scriptsByPage(built.metafile as unknown as Metafile)
  return { html: { isIn: begun(html, 'before-shell'), isOut: begun(html, 'before-alone') }, soon, files }
}

/** What one of its templates shows is there from the beginning. */
function begun(html: string, template: string): string {
  const shown = new RegExp(`<template id="${template}">([^]*?)</template>`).exec(html)?.[1] ?? ''
  return html
    .replace('<div id="root"></div>', `<div id="root">${shown.trim()}</div>`)
    .replace('</title>', `</title><script src="/app/${schemeName}"></script>`)
    .replace(/\n\s+/g, '\n')
}

async function pageFile(raw: Uint8Array, type: string): Promise<PageFile> {
  const [br, gz] = await Promise.all([squeezed(raw, quality.soon), zip(raw, { level: 6 })])
  return { type, raw, br, gz }
}

/** The first visitor does not wait for the last tenth; those after have it. One at a time: others need the CPU. */
const quality = { soon: 7, later: 11 } as const
const squeezed = (raw: Uint8Array, level: number): Promise<Uint8Array> =>
  brotli(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: level } })

async function squeezeMore(files: Map<string, PageFile>): Promise<void> {
  for (const [path, file] of [...files])
    if (file.br) files.set(path, { ...file, br: await squeezed(file.raw, quality.later) })
}
