import type { MemberRole } from '../../domain/tenant/member-role'
import type { KeyView } from '../../http/dashboard/key-views'
import type { MeView, OwnOrganizationView } from '../../http/dashboard/organizations'
import type { LifecycleView } from '../../http/routes/lifecycle'
import type { DepositDetailView, DepositView } from '../../http/views/deposit'
import type { ExecutionDetailView, FullExecutionView } from '../../http/views/execution-full'
import type { HistoryEntryView } from '../../http/views/history'
import type { SearchView } from '../../http/views/search'

export type { KeyView, MemberRole }
export type ExecutionRow = FullExecutionView
export type DepositDetail = typeof DepositDetailView.infer
export type Search = SearchView
export type ExecutionDetail = typeof ExecutionDetailView.infer
export type HistoryRow = typeof HistoryEntryView.infer
export type DepositRow = DepositView
export type Lifecycle = typeof LifecycleView.infer
export type Me = MeView
export type OrganizationView = OwnOrganizationView
