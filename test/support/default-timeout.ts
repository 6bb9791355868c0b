import { plugin } from 'bun'
import { isNightly } from './depth'

/** Timeout of a test without its own. It is long because real servers are slow on a busy machine. */
const timeoutMs = isNightly ? 3_600_000 : 600_000

// Bun 1.4.5 ignores a timeout in bunfig.toml and restores its default of 5 s before each file that it loads.
plugin({
  name: 'default timeout',
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => ({
      // Inserted in the first line, which keeps the file's line numbers.
      contents: `import { setDefaultTimeout as $default } from 'bun:test'; $default(${timeoutMs}); ${await Bun.file(path).text()}`,
      loader: 'ts',
    }))
  },
})
