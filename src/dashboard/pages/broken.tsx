import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { Empty, Note, Page } from '../ui/parts'

const reload = () => window.location.reload()

/** Explains that only this page failed. */
export const BrokenWords = ({ error }: { error: Error }) => (
  <>
    <p>Only this page is affected. No saved data is lost.</p>
    <p className="sub small">
      If it happens again after a reload, send this to support: <span className="mono wrap">{error.message}</span>
    </p>
  </>
)

/** Shown instead of a page that threw an error. */
export const BrokenPage = ({ error }: { error: Error }) => (
  <Page title="This page cannot be shown">
    <div className="card" role="alert">
      <Empty icon="alert" title="An error occurred in this page">
        <BrokenWords error={error} />
        <div className="row">
          <Button onClick={reload}>Reload the page</Button>
          <Link href="/">Go to the overview</Link>
        </div>
      </Empty>
    </div>
  </Page>
)

/** Shown instead of an incident strip that threw an error. */
export const BrokenIncidents = () => (
  <div className="page">
    <Note tone="warn" role="alert">
      Pauses and outages cannot be shown. Reload the page to try again.
    </Note>
  </div>
)
