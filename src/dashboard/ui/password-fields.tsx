import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useFieldError } from './use-field-error'

const charactersLeast = 10
const passwordWords = ({ valueMissing }: ValidityState, { length }: string): string =>
  valueMissing ? 'Enter a password.' : `At least ${charactersLeast} characters; this has ${length}.`

type Props = { name: string; label: string; description: string }
/** A field for a new password. */
export const NewPasswordField = ({ name, label, description }: Props) => (
  <PasswordInput
    name={name}
    label={label}
    description={description}
    autoComplete="new-password"
    required
    minLength={charactersLeast}
    maxLength={128}
    visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
    {...useFieldError(passwordWords)}
  />
)

/** A field for the password of the signed-in person. */
export const PasswordField = (own: PasswordInputProps) => (
  <PasswordInput
    name="password"
    label="Password"
    autoComplete="current-password"
    required
    visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
    {...own}
  />
)
