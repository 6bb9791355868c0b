/**
 * Milliseconds since 1970 on the machines that the devnet replaces: chains, bridges and providers. Their clock is
 * independent of the service's.
 */
export const devnetClock = (): number => Date.now()
