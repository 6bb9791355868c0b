/** One block in which a sum rose. */
export type Rise = { block: number; amountRaw: bigint }
type Point = { block: number; raw: bigint }

type RiseSearch = {
  /** Returns the sum of all that an account was paid up to the end of a block. The sum never falls. */
  paidUpTo: (block: number) => Promise<bigint>
  /** How much of that sum is recorded already. The recorded part is taken to be the earliest. */
  knownRaw: bigint
  block: number
  /** Whether a block that cannot be read is left out, instead of failing the search. */
  isLastTry: boolean
}

const askedMax = 128
const risesMax = 32
const firstDepths = [1, 2, 4, 8, 16, 32, 64]
/** How many depths are asked for at once after `firstDepths`. */
const depthsAtOnce = 4

/**
 * Finds the blocks in which unknown money arrived. It goes back from `block` in growing strides, and then halves the
 * intervals, those with the largest rise first, so that many small payments cannot hide a large one.
 *
 * @returns The rises, the largest first. `isWhole` is false when more money arrived than could be traced.
 */
export async function risesUpTo(search: RiseSearch): Promise<{ rises: Rise[]; isWhole: boolean }> {
  const { paidUpTo, knownRaw, block } = search
  const { points, isGrounded } = await strides(search)
  const open: [Point, Point][] = points.slice(1).map((high, n) => [points[n]!, high])
  const rises: Rise[] = []
  let isWhole = isGrounded
  for (let n = 0; open.length > 0; n++) {
    open.sort((one, other) => Number(riseOf(other) > riseOf(one)) - Number(riseOf(other) < riseOf(one)))
    const [low, high] = open.shift()!
    const amountRaw = riseOf([low, high])
    if (amountRaw <= 0n) continue
    if (high.block - low.block === 1) rises.push({ block: high.block, amountRaw })
    else if (n >= askedMax) isWhole = false
    else {
      const middle = Math.floor((low.block + high.block) / 2)
      const raw = await paidUpTo(middle)
      open.push([low, { block: middle, raw }], [{ block: middle, raw }, high])
    }
  }
  rises.sort((one, other) => (one.amountRaw > other.amountRaw ? -1 : 1))
  return { rises: rises.slice(0, risesMax), isWhole: isWhole && rises.length <= risesMax && block >= 0 }

  function riseOf([low, high]: [Point, Point]): bigint {
    return high.raw - (low.raw > knownRaw ? low.raw : knownRaw)
  }
}

/** Returns points in the order of the chain. The first is one at which everything is known, if one was found. */
async function strides({ paidUpTo, knownRaw, block, isLastTry }: RiseSearch) {
  const points: Point[] = [{ block, raw: await paidUpTo(block) }]
  for (const depths of wavesOf(block)) {
    const blocks = depths.map((depth) => Math.max(0, block - depth))
    const settled = await Promise.allSettled(blocks.map(paidUpTo))
    for (const [n, answer] of settled.entries()) {
      if (answer.status === 'rejected' && !isLastTry) throw answer.reason
      if (answer.status === 'rejected') return { points, isGrounded: false } // the node does not remember older blocks
      points.unshift({ block: blocks[n]!, raw: answer.value })
      if (answer.value <= knownRaw) return { points, isGrounded: true }
    }
  }
  return { points, isGrounded: false }
}

/** Returns the depths to ask for, in groups, down to the first block. */
function wavesOf(block: number): number[][] {
  const depths = [...firstDepths]
  while (depths.at(-1)! < block) depths.push(depths.at(-1)! * 2)
  const distinct = depths.filter((_, n) => n === 0 || depths[n - 1]! < block)
  const later = distinct.slice(firstDepths.length)
  const waves = Array.from({ length: Math.ceil(later.length / depthsAtOnce) }, (_, n) =>
    later.slice(n * depthsAtOnce, (n + 1) * depthsAtOnce),
  )
  return [distinct.slice(0, firstDepths.length), ...waves]
}
