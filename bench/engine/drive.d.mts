export type Phase = { first: number; count: number; atOnce?: number; perSecond?: number }
export type Driven = {
  perSecond: number
  p50: number
  p99: number
  cpuMs: number
  cpuBy: Record<string, number>
  errors: number
  error?: string
}
export function cpuMs(): Record<string, number>
export function percentile(values: readonly number[], share: number): number
export function drive(carry: (n: number) => Promise<unknown>, phase: Phase): Promise<Driven>
