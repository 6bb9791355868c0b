import { type FormEvent, useState } from 'react'

type Words = (validity: ValidityState, value: string) => string

/**
 * Shows what is wrong with a field below it, in place of the browser's bubble, and moves the focus to the first such
 * field.
 */
export function useFieldError(words: Words) {
  const [error, setError] = useState<string | null>(null)
  return {
    error,
    onInvalid: (event: FormEvent<HTMLInputElement>) => {
      event.preventDefault()
      const field = event.currentTarget
      setError(words(field.validity, field.value))
      if (field.form?.querySelector('input:invalid') === field) field.focus()
    },
    onInput: () => setError(null),
  }
}

export const emailWords: Words = ({ valueMissing }) =>
  valueMissing ? 'Enter your e-mail address.' : 'This is not an e-mail address.'
export const nameWords: Words = () => 'Enter your name.'
