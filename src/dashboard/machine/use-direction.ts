import { useMediaQuery } from '@mantine/hooks'

/** Minimum screen width for the map across, which is 1,096 pixels wide: see `sizes` in `layout.ts`. */
const acrossFrom = '(min-width: 1420px)'

export const useDirection = (): 'across' | 'down' =>
  useMediaQuery(acrossFrom, undefined, { getInitialValueInEffect: false }) ? 'across' : 'down'
