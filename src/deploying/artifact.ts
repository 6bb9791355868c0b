import { readFileSync } from 'node:fs'
import type { Abi } from 'viem'
import { artifactUrl } from '../adapters/evm/shipped-code'
import type { Hex } from '../domain/chain/hex'

type Artifact = { abi: Abi; bytecode: Hex; deployedBytecode: Hex; immutables: readonly number[] }

/** Reads a compiled contract from the committed artifacts. */
export const artifact = (name: string): Artifact => JSON.parse(readFileSync(artifactUrl(name), 'utf8'))
