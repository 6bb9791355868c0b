import { plugin } from 'bun'
import { mutated } from './mutated.ts'

const { path, ...change } = JSON.parse(process.env['MUTANT']!)
const literal = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

// The file on the disk stays as it is: only this process loads the mutant.
plugin({
  name: 'mutant',
  setup(build) {
    build.onLoad({ filter: new RegExp(`^${literal}$`) }, async () => ({
      contents: mutated(await Bun.file(path).text(), change),
      loader: 'ts',
    }))
  },
})
