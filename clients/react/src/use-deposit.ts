'use client'

import { useMemo, useSyncExternalStore } from 'react'
import { DepositFeed, type DepositView } from './feed.js'

export type DepositOptions = {
  /** The path of `depositRoutes` on your server. Default `/switchyard`. */
  server?: string
}

/** The feeds in use, which components share: a browser opens few connections to one server. */
const feeds = new Map<string, DepositFeed>()
function feedOf(server: string, userId: string): DepositFeed {
  const key = JSON.stringify([server, userId])
  const shared = feeds.get(key) ?? new DepositFeed(server, userId, () => feeds.delete(key))
  feeds.set(key, shared)
  return shared
}

/** Returns a user's deposit address and deposits, kept up to date, with the age and the problem of the last reading. */
export function useDeposit(userId: string, { server = '/switchyard' }: DepositOptions = {}): DepositView {
  const feed = useMemo(() => feedOf(server, userId), [server, userId])
  return useSyncExternalStore(feed.subscribe, feed.snapshot, feed.snapshot)
}
