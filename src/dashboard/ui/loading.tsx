import { useSyncExternalStore } from 'react'
import { isModuleWaiting, onModuleWaiting } from '../data/lazily'
import { Bones, Note } from './parts'

/** Shown in place of a page whose file is being fetched. */
export function LoadingPage() {
  const isWaiting = useSyncExternalStore(onModuleWaiting, isModuleWaiting)
  return (
    <div className="page">
      {isWaiting ? (
        <>
          <h1>This page could not be loaded</h1>
          <Note tone="bad" role="alert">
            The server cannot be reached. Check your connection; this page retries automatically.
          </Note>
        </>
      ) : (
        <Bones rows={8} />
      )}
    </div>
  )
}
