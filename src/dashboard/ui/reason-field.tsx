import { Textarea } from '@mantine/core'

type Props = { value: string; onChange: (reason: string) => void; isFirst?: boolean }

/** Whether the server accepts the text as a reason. */
export const isReason = (text: string): boolean => text.trim().length >= 3

/** Asks for the reason for an action that affects others. */
export const ReasonField = ({ value, onChange, isFirst = false }: Props) => (
  <Textarea
    label="Reason"
    description="3 to 500 characters. It is shown to integrators and kept in the audit log."
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    onKeyDown={(event) => {
      // A reason is one line.
      if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
      event.preventDefault()
      event.currentTarget.form?.requestSubmit()
    }}
    minLength={3}
    maxLength={500}
    autosize
    minRows={2}
    required
    data-autofocus={isFirst || undefined}
  />
)
