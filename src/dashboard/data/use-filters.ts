import { useSearchParams } from 'wouter'

/** The filters in the address bar, so that a link shows the same list. `put` sets one of them or takes it away. */
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
