import { join } from 'node:path'
import { standardInputs } from './compile.ts'

/** Writes the inputs that explorers need to verify the sources: contracts/standard-inputs.ts FOLDER. */
const [folder = join(import.meta.dir, 'out', 'standard-inputs')] = process.argv.slice(2)
for (const [name, input] of Object.entries(await standardInputs())) {
  const path = join(folder, `${name}.json`)
  await Bun.write(path, `${JSON.stringify(input, null, 2)}\n`)
  console.log(path)
}
