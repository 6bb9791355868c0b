import type { Mint } from '../domain/execution/mint'
export function assureMint(_: Mint): void {}
