import { join } from 'node:path'
import { API } from 'typescript/unstable/async'
import { leftOut } from './equivalents.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { mutated } from './mutated.ts'

export type Compiler = {
  mutantsOf(path: string): Promise<Mutant[]>
  /** Whether the type checker refuses a mutant, in its own file or in one of `also`. Such a mutant needs no test. */
  refuses(mutant: Mutant, also?: readonly string[]): Promise<boolean>
  close(): Promise<void>
}

/** Opens files of the project at `root` in the compiler. Mutants are made in its memory, and never on the disk. */
export async function openCompiler(root: string, paths: readonly string[]): Promise<Compiler> {
  const settings = join(root, 'tsconfig.mutants.json')
  const inMemory = new Map([
    [settings, JSON.stringify({ extends: './tsconfig.json', include: [], files: paths.map((path) => `./${path}`) })],
  ])
  const readFile = (path: string) => inMemory.get(path)
  const api = new API({ cwd: root, fs: { readFile, fileExists: (path) => inMemory.has(path) || undefined } })
  let snapshot = await api.updateSnapshot({ openProject: settings })
  const program = () => snapshot.getProjects()[0]!.program

  async function isRefused(path: string): Promise<boolean> {
    const refusals = await program().getSemanticDiagnostics(join(root, path))
    return refusals.length > 0 || (await program().getSyntacticDiagnostics(join(root, path))).length > 0
  }
  async function show(path: string, text: string | null): Promise<void> {
    if (text === null) inMemory.delete(path)
    else inMemory.set(path, text)
    const before = snapshot
    snapshot = await api.updateSnapshot({ fileChanges: { changed: [path] } })
    await before.dispose()
  }
  return {
    async mutantsOf(path) {
      const file = await program().getSourceFile(join(root, path))
      if (!file) throw new Error(`The compiler has no file ${path}`)
      return mutantsOf(
        path,
        file,
        leftOut.filter((each) => each.path === path).map(({ name }) => name),
      )
    },
    async refuses(mutant, also = []) {
      const path = join(root, mutant.path)
      await show(path, mutated(await Bun.file(path).text(), mutant))
      try {
        for (const each of [mutant.path, ...also]) if (await isRefused(each)) return true
        return false
      } finally {
        await show(path, null)
      }
    },
    close: () => api.close(),
  }
}
