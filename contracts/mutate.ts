import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgeBinary } from './forge-binary.ts'
import { type Mutant, mutants } from './mutants.ts'

/** Makes every mutant in a copy of the contracts and runs its test. The exit code is the number of surviving mutants. */
const root = import.meta.dir

async function survives({ file, from, to, killedBy }: Mutant): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-mutant-'))
  try {
    const copy = join(folder, 'contracts')
    await cp(root, copy, { recursive: true, filter: (path) => path !== join(root, 'out') })
    await symlink(join(root, '..', 'node_modules'), join(folder, 'node_modules'))
    const source = await Bun.file(join(copy, file)).text()
    if (source.split(from).length !== 2) throw new Error(`${file} must contain this text exactly once: ${from}`)
    await Bun.write(join(copy, file), source.replace(from, to))
    const run = async (command: string[]) => {
      const child = Bun.spawn(command, {
        cwd: copy,
        env: { ...process.env, HOME: folder },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [output, problems] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      return { code: await child.exited, output: output + problems }
    }
    const build = await run([process.execPath, join(copy, 'build.ts')])
    if (build.code !== 0) throw new Error(`The mutant does not compile: ${build.output}`)
    const { code, output } = await run([forgeBinary(), 'test', '--match-test', `^${killedBy}\\(`])
    if (!/\d+ tests? passed, \d+ failed/.test(output)) throw new Error(`No test ran: ${output}`)
    return code === 0
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const survivors: string[] = []
for (const [n, mutant] of mutants.entries()) {
  const hasSurvived = await survives(mutant)
  if (hasSurvived) survivors.push(mutant.name)
  console.log(`${n + 1}/${mutants.length} ${hasSurvived ? 'SURVIVED' : 'killed'}: ${mutant.name}`)
}
console.log(`${mutants.length - survivors.length} mutants killed, ${survivors.length} survived`)
process.exit(survivors.length)
