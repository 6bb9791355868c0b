import { network } from '../../../domain/chain/chain'
import { type CompressedFile, compressed, compressedFile, quality } from '../../request/compressed-file'
import { type Metafile, scriptsByPage } from './script-preloads'

type BuiltPages = {
  /** The page as it looks before any script has run, for visitors with and without a session. */
  html: { signedIn: string; signedOut: string }
  /** The scripts to preload for each page. Otherwise the browser would discover them one after another. */
  preloads: ReadonlyMap<string, readonly string[]>
  files: ReadonlyMap<string, CompressedFile>
}

/** Builds the pages at the first request. */
export type Pages = () => Promise<BuiltPages>

const beside = (path: string): string => new URL(`../../../dashboard/${path}`, import.meta.url).pathname
const entry = beside('index.html')
/** The font is served separately, because the bundle would inline it. Change its name whenever the font changes. */
const fontName = 'inter-2.woff2'
/** Chooses light or dark before the first paint. It is a file, because inline scripts are not allowed. */
const schemeName = 'scheme-1.js'
const name = '[name]-[hash].[ext]'
const variable = (name: string): string => ['process', 'env', name].join('.')
/** React leaves out its development checks, and the pages know the chains of this process's network. */
const define = { [variable('NODE_ENV')]: '"production"', [variable('NETWORK')]: JSON.stringify(network) }

/** The pages that people open first: their files come with the first load. */
const firstPages = ['shell', 'overview', 'sign-in'] as const

/** Bundles the pages in memory, in the process that serves them. A separate build could be of another version. */
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
    define,
    metafile: true,
  })
  const files = new Map<string, CompressedFile>()
  const preloads = scriptsByPage(built.metafile as unknown as Metafile)
  const html = await built.outputs.find(({ path }) => path.endsWith('.html'))!.text()
  const first = new Set(firstPages.flatMap((page) => preloads.get(page) ?? []))
  const levelOf = (path: string) => (first.has(path) || html.includes(path) ? quality.first : quality.fast)
  await Promise.all(
    built.outputs.map(async (output) => {
      if (output.path.endsWith('.html')) return
      const path = output.path.replace(/^\.?\//, '')
      const isStyle = output.path.endsWith('.css')
      const raw = isStyle
        ? new TextEncoder().encode(withoutUnused(await output.text()))
        : new Uint8Array(await output.arrayBuffer())
      files.set(path, await compressedFile(raw, output.type, levelOf(path)))
    }),
  )
  files.set(
    schemeName,
    await compressedFile(await Bun.file(beside('scheme.js')).bytes(), 'text/javascript;charset=utf-8'),
  )
  void compressMore(files)
  const font = await Bun.file(beside('styles/inter.woff2')).bytes()
  files.set(fontName, { type: 'font/woff2', raw: font, br: null, gz: null })
  return {
    html: { signedIn: withTemplate(html, 'before-shell'), signedOut: withTemplate(html, 'before-alone') },
    preloads,
    files,
  }
}

/** Puts the content of a template into the page, to show before any script has run. */
function withTemplate(html: string, template: string): string {
  const shown = new RegExp(`<template id="${template}">([^]*?)</template>`).exec(html)?.[1] ?? ''
  return html
    .replace('<div id="root"></div>', `<div id="root">${shown.trim()}</div>`)
    .replace('</title>', `</title><script src="/app/${schemeName}"></script>`)
    .replace(/\n\s+/g, '\n')
}

/** Smaller copies follow one at a time, because other work needs the CPU. The largest files come first. */
async function compressMore(files: Map<string, CompressedFile>): Promise<void> {
  const largestFirst = [...files].toSorted(([, one], [, other]) => other.raw.byteLength - one.raw.byteLength)
  for (const [path, file] of largestFirst)
    if (file.br) files.set(path, { ...file, br: await compressed(file.raw, quality.small) })
}

/** The colours of the component library that no page names. */
export const unusedColors = ['grape', 'violet', 'lime', 'cyan', 'pink', 'yellow', 'green'] as const

const declarations = new RegExp(`--mantine-color-(?:${unusedColors.join('|')})-[\\w-]+:[^;}]+;?`, 'g')

/**
 * Rules that the bundler adds for old browsers and for languages that run from right to left. The pages are in English,
 * and need a browser that knows `:is`.
 */
const rule = /(?<=[{};]|^)[^{};]*\{[^{}]*\}/g
const isForOthers = (text: string): boolean => /:-(?:webkit|moz)-any\(|(?<!:not\():is\(:lang\(ae\)/.test(text)

/** Removes from a style sheet what no page needs: a tenth of its compressed size. */
export const withoutUnused = (css: string): string =>
  css.replace(declarations, '').replace(rule, (text) => (isForOthers(text) ? '' : text))
