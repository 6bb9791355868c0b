import { useSearchParams } from 'wouter'

/** Returns the filters in the URL, so a link shows the same list. `put` sets or removes one. */
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
