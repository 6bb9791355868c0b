import { useSearchParams } from 'wouter'

/** What the address bar says, so that a link shows the same; `put` says one thing more, or no longer. */
export function useFilters() {
  const [parameters, setParameters] = useSearchParams()
  const put = (name: string, value: string | null, ...without: string[]) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before)
        for (const each of [name, ...without]) next.delete(each)
        if (value) next.set(name, value)
        return next
      },
      { replace: true },
    )
  return { parameters, put, choose: (query: string) => setParameters(new URLSearchParams(query)) }
}
