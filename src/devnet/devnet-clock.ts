/**
 * Milliseconds since 1970 on the machines that the devnet stands in for: chains, bridges and providers. They know
 * nothing of the service's clock.
 */
export const devnetClock = (): number => Date.now()
