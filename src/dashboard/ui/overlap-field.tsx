import { Select } from '@mantine/core'

const overlaps = [
  { value: '0', label: 'Now' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 24 hours' },
  { value: '604800', label: 'In 7 days' },
]

type Props = { label: string; seconds: number; onChange: (seconds: number) => void }

/** Asks how long the replaced value keeps working. */
export const OverlapField = ({ label, seconds, onChange }: Props) => (
  <Select label={label} data={overlaps} value={String(seconds)} onChange={(value) => onChange(Number(value))} />
)
