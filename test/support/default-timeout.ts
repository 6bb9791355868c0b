import { plugin } from 'bun'

/** The timeout of a test that sets none of its own. It is long because real servers are slow on a busy machine. */
const timeoutMs = 600_000

// Bun 1.4.5 reads no timeout in bunfig.toml, and sets its own default of 5 s again before each file that it loads.
plugin({
  name: 'default timeout',
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => ({
      // On the first line, so that the lines of the file keep their numbers.
      contents: `import { setDefaultTimeout as $default } from 'bun:test'; $default(${timeoutMs}); ${await Bun.file(path).text()}`,
      loader: 'ts',
    }))
  },
})
