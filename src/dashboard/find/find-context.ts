import { createContext, useContext } from 'react'

/** Opens the palette with a text. */
export const FindContext = createContext<(text: string) => void>(() => {})
export const useFind = () => useContext(FindContext)
