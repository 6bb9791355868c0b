type Output = { entryPoint?: string; imports: readonly { path: string; kind: string }[] }
/** The bundler's description of its outputs. */
export type Metafile = { outputs: Record<string, Output> }

const nameOf = (path: string): string => path.replace(/^\.?\//, '')
const pageOf = (entryPoint: string): string => /([^/]+)\.tsx$/.exec(entryPoint)?.[1] ?? entryPoint
const statically = 'import-statement'

/**
 * Returns the scripts that each page needs in addition to those that every page loads, by the name of the page's file.
 */
export function scriptsByPage({ outputs }: Metafile): Map<string, string[]> {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [nameOf(path), output]))

  function reach(name: string, seen: Set<string>): Set<string> {
    if (seen.has(name) || !byName.has(name)) return seen
    seen.add(name)
    for (const { path, kind } of byName.get(name)!.imports) if (kind === statically) reach(nameOf(path), seen)
    return seen
  }
  const isFirst = ({ entryPoint }: Output) => entryPoint?.endsWith('.html') ?? false
  const first = [...byName].filter(([name, output]) => isFirst(output) && name.endsWith('.js'))
  const everywhere = new Set(first.flatMap(([name]) => [...reach(name, new Set())]))
  return new Map(
    [...byName].flatMap(([name, { entryPoint }]) =>
      entryPoint?.endsWith('.tsx')
        ? [[pageOf(entryPoint), [...reach(name, new Set())].filter((each) => !everywhere.has(each))]]
        : [],
    ),
  )
}

const inner: Record<string, string> = {
  executions: 'execution',
  deposits: 'deposit',
  keys: 'key-requests',
  webhooks: 'webhook-endpoint',
}

/** Returns the file of the page at a path under /app. The path begins with the organization's slug. */
export function pageAt(path: string): string {
  const [, place = 'overview', id] = path.split('/').filter(Boolean)
  return id === undefined ? place : (inner[place] ?? place)
}
