import { join } from 'node:path'

const examples = join(import.meta.dir, '../../examples/guides')

/**
 * A page of the guides: its programs, which it links, by their names, and its commands in order. `published` names the
 * code between marks, which other tests run. `shown` is other code, which nothing runs.
 */
export type Guide = {
  path: string
  programs: Map<string, string>
  commands: string
  published: string[]
  shown: string[]
}

/** A link to a program that the reader copies. */
const linked = /\]\(\.\.\/\.\.\/examples\/guides\/([\w-]+\.mjs)\)/g
const anyFence = /^ *(```|~~~)[\s\S]*?^ *\1$/gm
const published = /^<!-- ([\w-]+):begin -->\n[\s\S]*?^<!-- \1:end -->$/gm
/** Beginnings of shell lines in an indented block. */
const isShell = /^(npm|npx|curl|node|python3|mkdir|wait|export|\(cd|[A-Z_]+=)/

/** Reads the pages in the order of their map, which is the reading order. */
export async function guidesIn(folder: string): Promise<Guide[]> {
  const map = await Bun.file(`${folder}/README.md`).text()
  const names = [...map.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name!)
  return Promise.all(
    names.map(async (name) => {
      const text = await Bun.file(`${folder}/${name}`).text()
      const copied = [...text.matchAll(linked)].map(async ([, program]) => {
        return [program!, await Bun.file(join(examples, program!)).text()] as const
      })
      const programs = new Map(await Promise.all(copied))
      const rest = text.replaceAll(published, '')
      const fences = [...rest.matchAll(anyFence)].map(([block]) => block)
      const indented = rest
        .replaceAll(anyFence, '')
        .split(/\n\s*\n/)
        .filter((block) => /^( {4}|\t)/m.test(block))
      const isCommand = (block: string): boolean =>
        block.split('\n').every((line) => line.startsWith('    ')) && isShell.test(block.slice(4))
      const commands = indented.filter(isCommand).map((block) => block.replaceAll(/^ {4}/gm, ''))
      return {
        path: name,
        programs,
        commands: commands.join('\n'),
        published: [...text.matchAll(published)].map(([, what]) => what!),
        shown: [...fences, ...indented.filter((block) => !isCommand(block))],
      }
    }),
  )
}
