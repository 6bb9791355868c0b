import type { ComponentType } from 'react'
import type { IconName } from '../ui/icon'
import { lazily } from './lazily'

type PageRoute = {
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: each page reads the parameters of its own path
  page: ComponentType<any>
  /** A page without a label is linked only from other pages. */
  label?: string
  icon?: IconName
  group?: string
  isFor?: 'operators'
  /** The key that opens it after `g`. */
  key?: string
}

/** Every page of an organization. Navigation, routes, palette and shortcuts are built from this list. */
export const pageRoutes: readonly PageRoute[] = [
  { path: '/', page: lazily(() => import('../pages/overview')), label: 'Overview', icon: 'map', key: 'o' },
  {
    path: '/executions',
    page: lazily(() => import('../pages/executions/executions')),
    label: 'Executions',
    icon: 'list',
    key: 'e',
  },
  { path: '/executions/:id', page: lazily(() => import('../pages/execution/execution')) },
  { path: '/deposits', page: lazily(() => import('../pages/deposits')), label: 'Deposits', icon: 'inbox', key: 'd' },
  { path: '/deposits/:id', page: lazily(() => import('../pages/deposit/deposit')) },
  { path: '/usage', page: lazily(() => import('../pages/usage/usage')), label: 'Usage', icon: 'chart', key: 'u' },
  {
    path: '/statement',
    page: lazily(() => import('../pages/statement/statement')),
    label: 'Statement',
    icon: 'receipt',
    key: 'f',
  },
  {
    path: '/start',
    page: lazily(() => import('../pages/start/start')),
    label: 'Get started',
    icon: 'rocket',
    group: 'Build',
    key: 's',
  },
  {
    path: '/keys',
    page: lazily(() => import('../pages/keys/keys')),
    label: 'API keys',
    icon: 'key',
    group: 'Build',
    key: 'k',
  },
  { path: '/keys/:id', page: lazily(() => import('../pages/keys/key-requests')) },
  {
    path: '/webhooks',
    page: lazily(() => import('../pages/webhooks/webhooks')),
    label: 'Webhooks',
    icon: 'webhook',
    group: 'Build',
    key: 'w',
  },
  { path: '/webhooks/:id', page: lazily(() => import('../pages/webhooks/webhook-endpoint')) },
  { path: '/webhooks/:id/deliveries/:delivery', page: lazily(() => import('../pages/webhooks/webhook-delivery')) },
  {
    path: '/address',
    page: lazily(() => import('../pages/intents/address')),
    label: 'Deposit address',
    icon: 'qr',
    group: 'Build',
    key: 'a',
  },
  {
    path: '/simulate',
    page: lazily(() => import('../pages/intents/simulate')),
    label: 'Simulate',
    icon: 'flask',
    group: 'Build',
    key: 'i',
  },
  {
    path: '/operations',
    page: lazily(() => import('../pages/operations/operations')),
    label: 'Operations',
    icon: 'gear',
    group: 'Run',
    isFor: 'operators',
    key: 'p',
  },
  {
    path: '/blacklist',
    page: lazily(() => import('../pages/operations/blacklist')),
    label: 'Security list',
    icon: 'shield',
    group: 'Run',
    isFor: 'operators',
    key: 'b',
  },
  {
    path: '/audit',
    page: lazily(() => import('../pages/audit/audit')),
    label: 'Audit log',
    icon: 'history',
    group: 'Run',
    isFor: 'operators',
    key: 'l',
  },
  {
    path: '/recipient-changes',
    page: lazily(() => import('../pages/recipients/recipient-changes')),
    label: 'Recipient changes',
    icon: 'arrow',
    group: 'Run',
  },
  {
    path: '/members',
    page: lazily(() => import('../pages/members/members')),
    label: 'Members',
    icon: 'people',
    group: 'Organization',
    key: 'm',
  },
  {
    path: '/notifications',
    page: lazily(() => import('../pages/notifications/notifications')),
    label: 'Notifications',
    icon: 'flag',
    group: 'Organization',
  },
  {
    path: '/account',
    page: lazily(() => import('../pages/account/account')),
    label: 'Your account',
    icon: 'person',
    group: 'Organization',
  },
]

/** Whether a word is the first of a page's path. */
export const isPage = (word: string): boolean => pageRoutes.some(({ path }) => path.split('/')[1] === word)
