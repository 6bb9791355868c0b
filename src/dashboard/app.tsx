import { Button } from '@mantine/core'
import { Suspense, useEffect, useLayoutEffect, useMemo } from 'react'
import { Redirect, Route, Router, Switch, useLocation, useSearch } from 'wouter'
import { selectOrganization } from './data/api'
import { lazily } from './data/lazily'
import { isPage } from './data/page-routes'
import { HereContext, useMe } from './data/session'
import type { Me, OrganizationView } from './data/types'
import { BrokenWords } from './pages/broken'
import { Alone } from './ui/alone'
import { Boundary } from './ui/boundary'
import { Trouble } from './ui/parts'

const SignIn = lazily(() => import('./pages/account/sign-in'))
const Forgotten = lazily(() => import('./pages/account/forgotten'))
const SsoSignIn = lazily(() => import('./pages/account/sso-sign-in'))
const SsoFirst = lazily(() => import('./pages/account/sso-first'))
const NewPassword = lazily(() => import('./pages/account/new-password'))
const Invitation = lazily(() => import('./pages/account/invitation'))
const Shell = lazily(() => import('./shell/shell'))
const SecondStepFirst = lazily(() => import('./pages/account/second-step-first'))
const NewOrganization = lazily(() => import('./pages/account/new-organization'))

/** Shows the page's initial HTML until the data arrives, which avoids a flicker. */
function Waiting({ isIn = false }: { isIn?: boolean }) {
  const markup = document.getElementById(isIn ? 'before-shell' : 'before-alone')!.innerHTML
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is this page's own text
  return <div className="before" dangerouslySetInnerHTML={{ __html: markup }} />
}
/** Whether the HTML was served to a signed-in person. */
const beganIn = document.querySelector('#root > .before-shell') !== null

/** Shows the pages that need no sign-in, and otherwise one organization. */
export function App() {
  const me = useMe()
  const [location] = useLocation()
  return (
    <Boundary at={location} fallback={(error) => <Broken error={error} />}>
      <Suspense fallback={<Waiting isIn={me.data === undefined ? beganIn : me.data !== null} />}>
        <Switch>
          <Route path="/forgotten" component={Forgotten} />
          <Route path="/sso" component={SsoSignIn} />
          <Route path="/reset-password" component={NewPassword} />
          <Route path="/invitation">
            <Invitation me={me.data === undefined ? null : me.data} />
          </Route>
          <Route path="/*?">
            {me.isPending ? (
              <Waiting isIn={beganIn} />
            ) : me.error ? (
              <Alone title="Switchyard cannot be reached">
                <Trouble error={me.error} />
                <Button onClick={() => me.refetch()}>Try again</Button>
              </Alone>
            ) : me.data === null ? (
              <SignIn />
            ) : (
              <SignedIn me={me.data} />
            )}
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  )
}

/** Shown if even the frame of the pages cannot be rendered. */
const Broken = ({ error }: { error: Error }) => (
  <Alone title="Switchyard cannot be shown">
    <BrokenWords error={error} />
    <Button onClick={() => window.location.assign('/app')}>Start again</Button>
  </Alone>
)

const rememberedAt = 'switchyard organization'

function SignedIn({ me }: { me: Me }) {
  const first = me.organizations.find(({ slug }) => slug === localStorage.getItem(rememberedAt)) ?? me.organizations[0]
  if (!first) return <NewOrganization isFirst />
  return (
    <Switch>
      <Route path="/new-organization">
        <NewOrganization />
      </Route>
      <Route path="/:slug/*?">
        {({ slug }) => <InOrganization key={slug} me={me} slug={slug!} otherwise={first.slug} />}
      </Route>
      <Route>
        <Redirect to={`/${first.slug}`} replace />
      </Route>
    </Switch>
  )
}

/** Checks an organization's sign-in requirements before it shows the organization's pages. */
function Entered({ me, organization }: { me: Me; organization: OrganizationView }) {
  const { demandsSso, demandsSecondStep, role } = organization
  if (demandsSso && me.via === null && role !== 'owner') return <SsoFirst />
  return (demandsSso || demandsSecondStep) && !me.person.hasSecondStep ? <SecondStepFirst /> : <Shell />
}

/** @param props.otherwise The organization of an address that names a page and no organization. */
function InOrganization({ me, slug, otherwise }: { me: Me; slug: string; otherwise: string }) {
  const [location] = useLocation()
  const search = useSearch()
  const organization = me.organizations.find((each) => each.slug === slug)
  // Set before the pages inside send requests: they send them in effects, which run after layout effects.
  useLayoutEffect(() => selectOrganization(organization?.id ?? null), [organization?.id])
  useEffect(() => {
    if (organization) localStorage.setItem(rememberedAt, slug)
  }, [organization, slug])
  const here = useMemo(() => organization && { me, organization }, [me, organization])
  if (!here) {
    const to = isPage(slug) ? `/${otherwise}${location}${search && `?${search}`}` : '/'
    return <Redirect to={to} replace />
  }
  return (
    <HereContext.Provider value={here}>
      <Router base={`/${slug}`}>
        <Entered me={me} organization={here.organization} />
      </Router>
    </HereContext.Provider>
  )
}
