export type Page<Item> = {
  items: Item[]
  /** Where the next page begins; null on the last one. It stays valid, with the same filters. */
  next: string | null
}

/**
 * A list, newest first unless its operation says otherwise. `for await (const item of list)` walks through all of it,
 * page by page. Nothing is asked for before it is needed.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #load: (from: string | null) => Promise<Page<Item>>

  constructor(load: (from: string | null) => Promise<Page<Item>>) {
    this.#load = load
  }

  /** One page. @param from the `next` of the page before; without it the first. */
  page(from: string | null = null): Promise<Page<Item>> {
    return this.#load(from)
  }

  /** The pages, one by one. */
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

  /** Everything in one array. Mind how much that is. */
  async all(): Promise<Item[]> {
    const found: Item[] = []
    for await (const { items } of this.pages()) found.push(...items)
    return found
  }
}

/** A parameter of the link to the next page. Nothing else of a link is followed, so none leads to another host. */
export function inNextLink(response: Response, name: string): string | null {
  const [, target] = /<([^>]*)>\s*;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  return target === undefined ? null : new URL(target, 'http://localhost').searchParams.get(name)
}
