import { join } from 'node:path'
import { type Artifact, compileContracts } from './compile.ts'

const folder = join(import.meta.dir, 'artifacts')
const artifacts = await compileContracts()

for (const artifact of artifacts) {
  await Bun.write(join(folder, `${artifact.name}.json`), artifactJson(artifact))
}
await Bun.write(join(folder, 'abi.ts'), abiModule(artifacts))
for (const { name, deployedBytecode } of artifacts) {
  console.log(`${name.padEnd(20)} ${String(deployedBytecode.length / 2 - 1).padStart(6)} bytes`)
}

export function artifactJson({ abi, bytecode, deployedBytecode }: Artifact): string {
  return `${JSON.stringify({ abi, bytecode, deployedBytecode }, null, 1)}\n`
}

export function abiModule(all: readonly Artifact[]): string {
  const abis = all.map(({ name, abi }) => {
    const entries = abi.map((entry) => `  ${JSON.stringify(entry)},\n`).join('')
    return `export const ${name[0]!.toLowerCase()}${name.slice(1)}Abi = [\n${entries}] as const\n`
  })
  return `// Written by contracts/build.ts.\n\n${abis.join('\n')}`
}
