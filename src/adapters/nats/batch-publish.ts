type Limits = { underWayMax: number; itemsMax: number }
type Waiting<Item> = { item: Item; done: () => void; failed: (error: unknown) => void }

/**
 * Sends what is put in, one by one while it is quiet. What comes while as much is under way as may be waits and goes
 * together: one answer of the server then stands for all of it, and each hears of it.
 */
export function batchPublish<Item>(send: (items: Item[]) => Promise<void>, { underWayMax, itemsMax }: Limits) {
  const waiting: Waiting<Item>[] = []
  let underWay = 0

  function next(): void {
    while (underWay < underWayMax && waiting.length > 0) {
      const together = waiting.splice(0, itemsMax)
      underWay += 1
      send(together.map(({ item }) => item))
        .then(
          () => {
            for (const { done } of together) done()
          },
          (error) => {
            for (const { failed } of together) failed(error)
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
