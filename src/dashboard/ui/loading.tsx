import { useSyncExternalStore } from 'react'
import { isModuleWaiting, onModuleWaiting } from '../data/lazily'
import { Icon } from './icon'
import { Bones, Note } from './parts'

/** Shown while the file of a dialog is being fetched, unless that takes only a moment. */
export function LoadingDialog({ onClose }: { onClose: () => void }) {
  const isWaiting = useSyncExternalStore(onModuleWaiting, isModuleWaiting)
  return (
    <div className="toast is-loading" role="status">
      {isWaiting ? 'The server cannot be reached. This opens once it responds.' : 'Loading …'}
      <button type="button" aria-label="Do not open it" onClick={onClose}>
        <Icon name="cross" size={16} />
      </button>
    </div>
  )
}

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
