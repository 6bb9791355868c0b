import { Button, type ButtonProps } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import { useHere } from '../data/session'
import { Icon } from '../ui/icon'

/** Names the current organization. Its menu is loaded when first opened. */
export function OrganizationButton(props: ButtonProps & ComponentPropsWithRef<'button'>) {
  const { organization } = useHere()
  return (
    <Button
      variant="default"
      size="sm"
      px={10}
      rightSection={<Icon name="chevron" size={15} />}
      aria-label={`Organization ${organization.name}`}
      {...props}
    >
      <span className="org-button">
        <span className="name">{organization.name}</span>
      </span>
    </Button>
  )
}
