type Limits = { underWayMax: number; itemsMax: number }
type Waiting<Item> = { item: Item; done: () => void; failed: (error: unknown) => void }

/**
 * Publishes items one by one while few are in flight. At the limit, new items wait and are sent together. One
 * acknowledgement of the server then covers the whole batch, and each caller gets its result.
 */
export function batchPublish<Item>(send: (items: Item[]) => Promise<void>, { underWayMax, itemsMax }: Limits) {
  const waiting: Waiting<Item>[] = []
  let underWay = 0

  function next(): void {
    while (underWay < underWayMax && waiting.length > 0) {
      const batch = waiting.splice(0, itemsMax)
      underWay += 1
      send(batch.map(({ item }) => item))
        .then(
          () => {
            for (const { done } of batch) done()
          },
          (error) => {
            for (const { failed } of batch) failed(error)
          },
        )
        .finally(() => {
          underWay -= 1
          next()
        })
    }
  }

  return {
    put: (item: Item): Promise<void> =>
      new Promise((done, failed) => {
        waiting.push({ item, done, failed })
        next()
      }),
    waiting: (): number => waiting.length,
  }
}
