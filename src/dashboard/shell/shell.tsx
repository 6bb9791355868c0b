import { ActionIcon } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useCallback, useEffect, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { network } from '../../domain/chain/chain'
import { usePageFocus } from '../access/focus'
import { grouped } from '../data/format'
import { lazily } from '../data/lazily'
import { pageRoutes } from '../data/page-routes'
import { ifLoaded } from '../data/read'
import { useHere } from '../data/session'
import { countInTab } from '../data/tab-title'
import { FindContext } from '../find/find-context'
import type { Overlay } from '../find/palette'
import { startLive, useEvents, useReset } from '../live/live'
import { useOverdue } from '../live/overdue'
import { BrokenIncidents, BrokenPage } from '../pages/broken'
import { Mark } from '../ui/alone'
import { Boundary } from '../ui/boundary'
import { Icon } from '../ui/icon'
import { LoadingPage } from '../ui/loading'
import { Empty, Page } from '../ui/parts'
import { LoadingDialog } from '../ui/toast'
import { ColorScheme } from './color-scheme'
import { LiveMark } from './live-mark'
import { OrganizationButton } from './organization-button'
import { useShortcuts } from './shortcuts'
import { StepUpWhenNeeded } from './step-up-when-needed'

const Incidents = lazily(() => import('../incidents/incidents'))
const Palette = lazily(() => import('../find/palette'))
const openMenu = () => import('./organization-menu')
const OrganizationMenu = lazily(openMenu)

/** The frame of every page: the navigation, the organization, and whether the page is up to date. */
export default function Shell() {
  const { organization } = useHere()
  const [location, go] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const [overlay, setOverlay] = useState<Overlay | null>(null)
  const client = useQueryClient()
  useEffect(
    () => startLive(organization.id, () => void client.invalidateQueries({ queryKey: ['me'] })),
    [organization.id, client],
  )
  useEvents((events) => {
    void import('../access/announce-arrivals').then(
      ({ announceArrivals }) => announceArrivals(events),
      () => {},
    )
  })
  useReset(() => void client.invalidateQueries())
  const find = useCallback((text: string) => setOverlay({ kind: 'palette', text }), [])
  const close = useCallback(() => setOverlay(null), [])
  useShortcuts({ find: () => find(''), showKeys: () => setOverlay({ kind: 'shortcuts' }), go })
  usePageFocus()
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of place closes it
  useEffect(() => setOpen(false), [location])
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Header isOpen={isOpen} onOpen={setOpen} onFind={() => find('')} />
      <Navigation isOpen={isOpen} />
      <button
        type="button"
        tabIndex={-1}
        aria-label="Close navigation"
        className={`veil ${isOpen ? 'is-open' : ''}`}
        onClick={() => setOpen(false)}
      />
      <main className="main" id="main" tabIndex={-1}>
        <FindContext value={find}>
          <Content location={location} />
        </FindContext>
      </main>
      <StepUpWhenNeeded />
      <Suspense fallback={<LoadingDialog onClose={close} />}>
        {overlay && <Palette overlay={overlay} onClose={close} />}
      </Suspense>
    </div>
  )
}

type HeaderProps = { isOpen: boolean; onOpen: (isOpen: boolean) => void; onFind: () => void }
const Header = ({ isOpen, onOpen, onFind }: HeaderProps) => (
  <header className="top">
    <ActionIcon
      className="burger"
      variant="subtle"
      color="gray"
      size="lg"
      aria-label="Navigation"
      aria-expanded={isOpen}
      onClick={() => onOpen(!isOpen)}
    >
      <Icon name={isOpen ? 'cross' : 'menu'} size={20} />
    </ActionIcon>
    <Link href="/" className="brand" aria-label="Switchyard, overview">
      <Mark size={26} />
      <span className="only-wide">Switchyard</span>
    </Link>
    {network === 'testnet' && (
      <span className="pill plain t-warn" title="A rehearsal on test networks: nothing here is worth money">
        Testnet
      </span>
    )}
    <span className="grow" />
    <LiveMark />
    <button type="button" className="chip only-wide" onClick={onFind}>
      <Icon name="search" size={15} /> Find <kbd className="kbd">Ctrl K</kbd>
    </button>
    <ActionIcon className="only-narrow" variant="default" size="lg" aria-label="Find" onClick={onFind}>
      <Icon name="search" />
    </ActionIcon>
    <ColorScheme />
    <Organization />
  </header>
)

/**
 * The incidents and the page at this URL. If one throws, the other is still shown. The key removes the previous page
 * while the file of the next one is fetched. Otherwise React would only hide it, and it would keep sending requests.
 */
const Content = ({ location }: { location: string }) => (
  <>
    <Boundary at={location} fallback={() => <BrokenIncidents />}>
      <Suspense>
        <Incidents />
      </Suspense>
    </Boundary>
    <Boundary at={location} fallback={(error) => <BrokenPage error={error} />}>
      <Suspense key={location} fallback={<LoadingPage />}>
        <Switch>
          {pageRoutes.map(({ path, page }) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route>
            <Page title="Page not found">
              <div className="card">
                <Empty icon="map" title="There is no page at this address">
                  <Link href="/">Go to the overview</Link>
                </Empty>
              </div>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  </>
)

function Navigation({ isOpen }: { isOpen: boolean }) {
  const { isOperator } = useHere()
  const [location] = useLocation()
  const overdue = ifLoaded(useOverdue(), ({ length }) => length)
  useEffect(() => countInTab(overdue), [overdue])
  const seen = pageRoutes.filter(({ label, isFor }) => label && (!isFor || isOperator))
  const groups = [...new Set(seen.map(({ group }) => group))]
  return (
    <nav className={`nav ${isOpen ? 'is-open' : ''}`} aria-label="Main">
      <div className="nav-inside">
        {groups.map((group) => (
          <div key={group ?? 'first'}>
            {group && (
              <div className="label" id={`nav-${group}`}>
                {group}
              </div>
            )}
            <ul aria-labelledby={group && `nav-${group}`}>
              {seen
                .filter((place) => place.group === group)
                .map(({ path, label, icon }) => {
                  const isHere = path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)
                  return (
                    <li key={path}>
                      <Link href={path} aria-current={isHere ? 'page' : undefined}>
                        <Icon name={icon!} /> {label}
                        {path === '/operations' && overdue ? (
                          <span className="pill plain t-bad badge">
                            {grouped(overdue)}
                            <span className="hidden-visually"> overdue</span>
                          </span>
                        ) : null}
                      </Link>
                    </li>
                  )
                })}
            </ul>
          </div>
        ))}
        <div className="end">
          <a href="/docs" target="_blank" rel="noreferrer">
            <Icon name="docs" /> API reference
          </a>
        </div>
      </div>
    </nav>
  )
}

function Organization() {
  const [isWanted, setWanted] = useState(false)
  const button = (
    <OrganizationButton
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void openMenu()}
      onClick={() => setWanted(true)}
    />
  )
  return isWanted ? (
    <Suspense
      fallback={
        <>
          {button}
          <LoadingDialog onClose={() => setWanted(false)} />
        </>
      }
    >
      <OrganizationMenu />
    </Suspense>
  ) : (
    button
  )
}
