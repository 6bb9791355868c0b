import { TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'

type Props = { placeholder: string; value: string; onSearch: (text: string) => void }

const pauseMs = 350

/** Searches when typing pauses, and shows the text from the URL. */
export function SearchBox({ placeholder, value, onSearch }: Props) {
  const [text, setText] = useState(value)
  const said = useRef(value)
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (value === said.current) return
    said.current = value
    setText(value)
  }, [value])
  return (
    <TextInput
      label="Search"
      placeholder={placeholder}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        const searchText = event.currentTarget.value.trim()
        clearTimeout(typing.current)
        typing.current = setTimeout(() => {
          said.current = searchText
          onSearch(searchText)
        }, pauseMs)
      }}
    />
  )
}
