import { Menu } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useHere } from '../data/session'
import { useSignOut } from '../data/sign-out'
import { Icon } from '../ui/icon'
import { OrganizationButton } from './organization-button'

/** The menu under the header's button: the person's organizations, the account and signing out. */
export default function OrganizationMenu() {
  const { me, organization } = useHere()
  const [, go] = useLocation()
  // It opens after its button has the focus, because Escape returns the focus to where it was at the opening.
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(true), [])
  const signOut = useSignOut()
  return (
    <Menu position="bottom-end" width={260} opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <OrganizationButton autoFocus />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Organizations</Menu.Label>
        {me.organizations.map(({ id, name, slug, role }) => (
          <Menu.Item
            key={id}
            onClick={() => location.assign(`/app/${slug}`)}
            leftSection={
              <span style={{ width: 16, display: 'inline-flex' }}>
                {id === organization.id && <Icon name="check" size={16} />}
              </span>
            }
            rightSection={<span className="tiny">{role}</span>}
          >
            {name}
          </Menu.Item>
        ))}
        {me.via === null && (
          <Menu.Item
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => location.assign('/app/new-organization')}
          >
            New organization
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>{me.person.email}</Menu.Label>
        <Menu.Item leftSection={<Icon name="person" size={16} />} onClick={() => go('/account')}>
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="exit" size={16} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
