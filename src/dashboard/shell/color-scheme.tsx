import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Icon } from '../ui/icon'

export function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const label = isDark ? 'Use light colours' : 'Use dark colours'
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </ActionIcon>
  )
}
