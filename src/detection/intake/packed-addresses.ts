const wordsPerAddress = 5
const fullness = 0.75
const nothing = 0xffffffff

export type PackedAddresses = ReturnType<typeof packedAddresses>

/** A set of addresses in two typed arrays: 20 bytes for each address, and an index beside them. It only grows. */
export function packedAddresses() {
  let words = new Uint32Array(1024 * wordsPerAddress)
  let index = new Uint32Array(2048).fill(nothing)
  let size = 0
  const wanted = new Uint32Array(wordsPerAddress)

  /** Returns the place of the wanted address in the index, or the free place where it belongs. */
  function placeOf(): number {
    const mask = index.length - 1
    let place = (Math.imul(wanted[0]! ^ wanted[4]!, 0x9e3779b1) >>> 0) & mask
    while (index[place] !== nothing && !isAt(index[place]!)) place = (place + 1) & mask
    return place
  }

  function isAt(position: number): boolean {
    const start = position * wordsPerAddress
    for (let n = 0; n < wordsPerAddress; n++) if (words[start + n] !== wanted[n]) return false
    return true
  }

  function grow(): void {
    index = new Uint32Array(index.length * 2).fill(nothing)
    for (let position = 0; position < size; position++) {
      wanted.set(words.subarray(position * wordsPerAddress, (position + 1) * wordsPerAddress))
      index[placeOf()] = position
    }
  }

  return {
    get size() {
      return size
    },
    get bytes() {
      return words.byteLength + index.byteLength
    },
    has: (address: string): boolean => readInto(wanted, address) && index[placeOf()] !== nothing,
    /** @returns Whether the address is new. */
    add(address: string): boolean {
      if (size + 1 > index.length * fullness) grow()
      if (!readInto(wanted, address)) return false
      const place = placeOf()
      if (index[place] !== nothing) return false
      if ((size + 1) * wordsPerAddress > words.length) {
        const wider = new Uint32Array(words.length * 2)
        wider.set(words)
        words = wider
      }
      words.set(wanted, size * wordsPerAddress)
      index[place] = size++
      return true
    },
    /** Returns addresses in the order in which they were added, in lower case. */
    slice(from: number, to: number): `0x${string}`[] {
      const addresses: `0x${string}`[] = []
      for (let position = from; position < Math.min(to, size); position++) addresses.push(addressAt(words, position))
      return addresses
    },
  }
}

/** @returns Whether it has the length of an address. */
function readInto(wanted: Uint32Array, address: string): boolean {
  if (address.length !== 42) return false
  for (let n = 0; n < wordsPerAddress; n++) wanted[n] = Number.parseInt(address.slice(2 + n * 8, 10 + n * 8), 16)
  return true
}

function addressAt(words: Uint32Array, position: number): `0x${string}` {
  let hex = ''
  for (let n = 0; n < wordsPerAddress; n++) hex += words[position * wordsPerAddress + n]!.toString(16).padStart(8, '0')
  return `0x${hex}`
}
