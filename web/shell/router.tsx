import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { ApiError } from '../client/api-error.ts'
import { Frame } from './frame/frame.tsx'
import { setLanguage, useLanguage } from '../text/i18n.ts'
import { languageFor } from '../text/door-language.ts'
import { NotFoundPage } from '../pages/not-found.tsx'
import { FrameCrash, PageCrash } from '../parts/layout/page-crash.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { sessionQuery } from '../client/queries.ts'
import { queryClient } from '../client/query-client.ts'

/** All pages and their paths. Pages load separately; `/login` and `/setup` are outside the frame. */
const root = createRootRoute({ notFoundComponent: NotFoundPage, errorComponent: FrameCrash })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  /** `problem`: why the sign-in at the provider failed. */
  validateSearch: (search): { next?: string; ended?: number; problem?: string } => ({
    ...text(search, 'next'),
    ...text(search, 'problem'),
    ...(search['ended'] === 1 ? { ended: 1 } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/login.tsx'), 'LoginPage'),
})

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  /** `token`: from the link for the first administrator; `invite`: from a link for choosing a password. */
  validateSearch: (search): { token?: string; invite?: string } => ({
    ...text(search, 'token'),
    ...text(search, 'invite'),
  }),
  component: lazyRouteComponent(() => import('../pages/setup.tsx'), 'SetupPage'),
})

/**
 * A change of language remounts the frame: texts are read during render, and not everything renders again by itself.
 */
function FrameInLanguage() {
  return <Frame key={useLanguage()} />
}

/** Pages for signed-in users; nothing is shown before the session is known. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: FrameInLanguage,
  beforeLoad: async ({ location }) => {
    try {
      const session = await queryClient.ensureQueryData(sessionQuery)
      await setLanguage(await languageFor(session))
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        throw redirect({ to: '/login', search: { next: location.href } })
      throw error
    }
  },
})

const dashboard = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/dashboard.tsx'), 'DashboardPage'),
})

const chat = createRoute({
  getParentRoute: () => app,
  path: '/chat',
  /** `c`: the conversation; `m`: a message in it to scroll to; `new`: a new one; without any: the current one. */
  validateSearch: (search): { c?: string; m?: string; new?: true } => ({
    ...text(search, 'c'),
    ...text(search, 'm'),
    ...(search['new'] === true ? { new: true as const } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/chat.tsx'), 'ChatPage'),
})

const files = createRoute({
  getParentRoute: () => app,
  path: '/files',
  /** `f`: the shown file; the others filter and sort the list. */
  validateSearch: (search): { f?: string; q?: string; kind?: string; sort?: string } => ({
    ...text(search, 'f'),
    ...text(search, 'q'),
    ...text(search, 'kind'),
    ...text(search, 'sort'),
  }),
  component: lazyRouteComponent(() => import('../pages/files.tsx'), 'FilesPage'),
})

const approvals = createRoute({
  getParentRoute: () => app,
  path: '/approvals',
  component: lazyRouteComponent(() => import('../pages/approvals.tsx'), 'ApprovalsPage'),
})

/** What messages link to. */
const approval = createRoute({
  getParentRoute: () => app,
  path: '/approvals/$id',
  component: lazyRouteComponent(() => import('../pages/approval.tsx'), 'ApprovalPage'),
})

const routines = createRoute({
  getParentRoute: () => app,
  path: '/routines',
  component: lazyRouteComponent(() => import('../pages/routines.tsx'), 'RoutinesPage'),
})

const routine = createRoute({
  getParentRoute: () => app,
  path: '/routines/$id',
  component: lazyRouteComponent(() => import('../pages/routine.tsx'), 'RoutinePage'),
})

const watches = createRoute({
  getParentRoute: () => app,
  path: '/watches',
  /** `watch`: the one whose history is shown. */
  validateSearch: (search): { watch?: string } => text(search, 'watch'),
  component: lazyRouteComponent(() => import('../pages/watches.tsx'), 'WatchesPage'),
})

const procedures = createRoute({
  getParentRoute: () => app,
  path: '/procedures',
  component: lazyRouteComponent(() => import('../pages/procedures.tsx'), 'ProceduresPage'),
})

const procedure = createRoute({
  getParentRoute: () => app,
  path: '/procedures/$id',
  /** `version`: the one that is shown, unless it is the newest; `edit`: its draft is being edited. */
  validateSearch: (search): { version?: number; edit?: true } => ({
    ...(typeof search['version'] === 'number' ? { version: search['version'] } : {}),
    ...(search['edit'] === true ? { edit: true as const } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/procedures.tsx'), 'ProcedurePage'),
})

const modules = createRoute({
  getParentRoute: () => app,
  path: '/modules',
  component: lazyRouteComponent(() => import('../pages/modules.tsx'), 'ModulesPage'),
})

const module = createRoute({
  getParentRoute: () => app,
  path: '/modules/$name',
  /** `tab`: the selected tab; `review`: opens the review. */
  validateSearch: (search): { tab?: string; review?: true } => ({
    ...text(search, 'tab'),
    ...(search['review'] === true ? { review: true as const } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/module.tsx'), 'ModulePage'),
})

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  /** `tab`: the selected tab; `from`: the conversation that something is connected for. */
  validateSearch: (search): { tab?: string; from?: string } => ({ ...text(search, 'tab'), ...text(search, 'from') }),
  component: lazyRouteComponent(() => import('../pages/account.tsx'), 'AccountPage'),
})

/** Where an MCP client sends a person; what it says is read as it stands in the address. */
const oauth = createRoute({
  getParentRoute: () => app,
  path: '/oauth/authorize',
  component: lazyRouteComponent(() => import('../pages/oauth.tsx'), 'OauthPage'),
})

/** Target of the navigation, which marks it on every page below. */
const adminHome = createRoute({
  getParentRoute: () => app,
  path: '/admin',
  beforeLoad: () => {
    throw redirect({ to: '/admin/$page', params: { page: 'users' }, replace: true })
  },
})

const ADMIN_SEARCH = [
  'q',
  'role',
  'state',
  'user',
  'action',
  'target',
  'tool',
  'host',
  'tab',
  'path',
  'tag',
  'model',
  'outcome',
  'from',
  'to',
] as const

const admin = createRoute({
  getParentRoute: () => app,
  path: '/admin/$page',
  /** Filters of lists, and the subject of an explanation. */
  validateSearch: (search): Partial<Record<(typeof ADMIN_SEARCH)[number], string>> =>
    Object.assign({}, ...ADMIN_SEARCH.map((name) => text(search, name))) as Partial<Record<string, string>>,
  component: lazyRouteComponent(() => import('../pages/admin.tsx'), 'AdminPage'),
})

const help = createRoute({
  getParentRoute: () => app,
  path: '/help',
  /** `chapter`: a chapter of the guide; the first one by default. */
  validateSearch: (search): { chapter?: string } => text(search, 'chapter'),
  component: lazyRouteComponent(() => import('../pages/help.tsx'), 'HelpPage'),
})

const helpPage = createRoute({
  getParentRoute: () => app,
  path: '/help/$page',
  component: lazyRouteComponent(() => import('../pages/help.tsx'), 'HelpPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    setup,
    app.addChildren([
      dashboard,
      chat,
      files,
      approvals,
      approval,
      routines,
      routine,
      watches,
      procedures,
      procedure,
      modules,
      module,
      account,
      oauth,
      adminHome,
      admin,
      help,
      helpPage,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: PageCrash,
  defaultPendingComponent: PagePending,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** A search parameter as text, or undefined. Numbers arrive parsed and are converted back. */
function text<N extends string>(search: Record<string, unknown>, name: N): { [P in N]?: string } {
  const value = search[name]
  const written = typeof value === 'number' ? String(value) : value
  return (typeof written === 'string' && written !== '' ? { [name]: written } : {}) as { [P in N]?: string }
}
