import { useMediaQuery } from '@mantine/hooks'

/** From this width of the screen on the map has room to run across: 1,096 pixels, see `sizes` in `layout.ts`. */
const acrossFrom = '(min-width: 1420px)'

export const useDirection = (): 'across' | 'down' =>
  useMediaQuery(acrossFrom, undefined, { getInitialValueInEffect: false }) ? 'across' : 'down'
