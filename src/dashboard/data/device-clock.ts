/**
 * Milliseconds since 1970 by the clock of the reader's device. The pages use it for ages and ranges only, beside the
 * device's own clock on the screen. The server decides by its own time.
 */
export const deviceClock = (): number => Date.now()
