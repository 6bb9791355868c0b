import { readFileSync } from 'node:fs'
import type { Abi } from 'viem'
import type { Hex } from '../domain/chain/hex'

type Artifact = { abi: Abi; bytecode: Hex; deployedBytecode: Hex; immutables: readonly number[] }

const folder = new URL('../../contracts/artifacts/', import.meta.url)

/** Reads a compiled contract from the committed artifacts. */
export const artifact = (name: string): Artifact => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
