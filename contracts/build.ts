import { join } from 'node:path'
import { abiModule, artifactJson } from './artifact-files.ts'
import { compileContracts, compileForTestnet } from './compile.ts'
import { recordDigest } from './digest.ts'

const folder = join(import.meta.dir, 'artifacts')
const artifacts = await compileContracts()
const testnet = await compileForTestnet()

for (const artifact of testnet)
  await Bun.write(join(folder, 'testnet', `${artifact.name}.json`), artifactJson(artifact))
for (const artifact of artifacts) {
  await Bun.write(join(folder, `${artifact.name}.json`), artifactJson(artifact))
  console.log(`${artifact.name.padEnd(20)} ${String(artifact.deployedBytecode.length / 2 - 1).padStart(6)} bytes`)
}
await Bun.write(join(folder, 'abi.ts'), abiModule(artifacts))
await recordDigest()
