import type { Artifact } from './compile.ts'

export function artifactJson({ abi, bytecode, deployedBytecode, immutables }: Artifact): string {
  return `${JSON.stringify({ abi, bytecode, deployedBytecode, immutables }, null, 1)}\n`
}

export function abiModule(artifacts: readonly Artifact[]): string {
  const abis = artifacts.map(({ name, abi }) => {
    const entries = abi.map((entry) => `  ${JSON.stringify(entry)},\n`).join('')
    return `export const ${name[0]!.toLowerCase()}${name.slice(1)}Abi = [\n${entries}] as const\n`
  })
  return `// Written by contracts/build.ts.\n\n${abis.join('\n')}`
}
