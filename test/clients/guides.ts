/** A page of the guides: the programs that it shows, by the names in their first lines, and its commands in order. */
export type Guide = { path: string; programs: Map<string, string>; commands: string }

const fence = /^```(?:js\n\/\/ ([\w-]+\.mjs)|python\n# (\w+\.py))\n([\s\S]*?)^```$/gm
/** What a line of a shell begins with, where a block of indented lines is one. */
const isShell = /^(npm|npx|curl|node|python3|mkdir|wait|export|\(cd|[A-Z_]+=)/

/** Reads the pages in the order in which their map names them, which is the order in which a reader goes. */
export async function guidesIn(folder: string): Promise<Guide[]> {
  const map = await Bun.file(`${folder}/README.md`).text()
  const names = [...map.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name!)
  return Promise.all(
    names.map(async (name) => {
      const text = await Bun.file(`${folder}/${name}`).text()
      const programs = new Map([...text.matchAll(fence)].map(([, js, python, code]) => [(js ?? python)!, code!]))
      const blocks = text.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/\n\s*\n/)
      const shell = blocks.flatMap((block) => {
        const lines = block.split('\n')
        const own = lines.map((line) => line.slice(4))
        return lines.every((line) => line.startsWith('    ')) && isShell.test(own[0]!) ? [own.join('\n')] : []
      })
      return { path: name, programs, commands: shell.join('\n') }
    }),
  )
}
