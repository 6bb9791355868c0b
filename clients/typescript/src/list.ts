export type Page<Item> = {
  items: Item[]
  /** The cursor of the next page; null on the last. It stays valid with the same filters. */
  next: string | null
}

/**
 * A list, newest first unless its operation says otherwise. `for await (const item of list)` iterates over all of it,
 * page by page, and fetches each page only when needed.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #load: (from: string | null) => Promise<Page<Item>>

  constructor(load: (from: string | null) => Promise<Page<Item>>) {
    this.#load = load
  }

  /** Fetches one page. @param from The previous page's `next`; without it, the first page. */
  page(from: string | null = null): Promise<Page<Item>> {
    return this.#load(from)
  }

  /** Iterates over the pages. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for (let from: string | null = null; ; ) {
      const page: Page<Item> = await this.#load(from)
      yield page
      if (page.next === null) return
      from = page.next
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items
  }

  /** Returns all items in one array, which can be large. */
  async all(): Promise<Item[]> {
    const found: Item[] = []
    for await (const { items } of this.pages()) found.push(...items)
    return found
  }
}

/**
 * Returns a parameter of the link to the next page. The rest of the link is ignored, so it cannot lead to another host.
 */
export function inNextLink(response: Response, name: string): string | null {
  const [, target] = /<([^>]*)>\s*;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  return target === undefined ? null : new URL(target, 'http://localhost').searchParams.get(name)
}
