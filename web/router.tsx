import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { ApiError } from './api-error.ts'
import { Frame } from './frame/frame.tsx'
import { setLanguage } from './i18n.ts'
import { languageFor } from './door-language.ts'
import { NotFoundPage } from './pages/not-found.tsx'
import { PageCrash } from './parts/page-crash.tsx'
import { PagePending } from './parts/page-pending.tsx'
import { sessionQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

/** Every page and its address. Pages load on their own; `/login` and `/setup` stand outside the frame. */
const root = createRootRoute({ notFoundComponent: NotFoundPage, errorComponent: PageCrash })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  /** `problem`: why the sign-in at the provider came to nothing. */
  validateSearch: (search): { next?: string; ended?: number; problem?: string } => ({
    ...text(search, 'next'),
    ...text(search, 'problem'),
    ...(search['ended'] === 1 ? { ended: 1 } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/login.tsx'), 'LoginPage'),
})

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  /** `token`: of the link for the first administrator; `invite`: of one with which a user chooses a password. */
  validateSearch: (search): { token?: string; invite?: string } => ({
    ...text(search, 'token'),
    ...text(search, 'invite'),
  }),
  component: lazyRouteComponent(() => import('./pages/setup.tsx'), 'SetupPage'),
})

/** Pages for who is signed in; their address is not shown before the session is known. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Frame,
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
  component: lazyRouteComponent(() => import('./pages/dashboard.tsx'), 'DashboardPage'),
})

const chat = createRoute({
  getParentRoute: () => app,
  path: '/chat',
  /** `c`: the conversation; `m`: a message of it to go to; `new`: a new one; neither: the current one. */
  validateSearch: (search): { c?: string; m?: string; new?: true } => ({
    ...text(search, 'c'),
    ...text(search, 'm'),
    ...(search['new'] === true ? { new: true as const } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/chat.tsx'), 'ChatPage'),
})

const files = createRoute({
  getParentRoute: () => app,
  path: '/files',
  /** `f`: the file that is shown; the others narrow and order the list. */
  validateSearch: (search): { f?: string; q?: string; kind?: string; sort?: string } => ({
    ...text(search, 'f'),
    ...text(search, 'q'),
    ...text(search, 'kind'),
    ...text(search, 'sort'),
  }),
  component: lazyRouteComponent(() => import('./pages/files.tsx'), 'FilesPage'),
})

const approvals = createRoute({
  getParentRoute: () => app,
  path: '/approvals',
  component: lazyRouteComponent(() => import('./pages/approvals.tsx'), 'ApprovalsPage'),
})

const modules = createRoute({
  getParentRoute: () => app,
  path: '/modules',
  component: lazyRouteComponent(() => import('./pages/modules.tsx'), 'ModulesPage'),
})

const module = createRoute({
  getParentRoute: () => app,
  path: '/modules/$name',
  /** `tab`: the part of the page; `review`: begins with what enabling means. */
  validateSearch: (search): { tab?: string; review?: true } => ({
    ...text(search, 'tab'),
    ...(search['review'] === true ? { review: true as const } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/module.tsx'), 'ModulePage'),
})

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  /** `tab`: the part of the page. */
  validateSearch: (search): { tab?: string } => text(search, 'tab'),
  component: lazyRouteComponent(() => import('./pages/account.tsx'), 'AccountPage'),
})

/** The navigation leads here, and is marked on every page below. */
const adminHome = createRoute({
  getParentRoute: () => app,
  path: '/admin',
  beforeLoad: () => {
    throw redirect({ to: '/admin/$page', params: { page: 'users' }, replace: true })
  },
})

const ADMIN_SEARCH = ['q', 'role', 'state', 'user', 'action', 'target', 'outcome', 'from', 'to'] as const

const admin = createRoute({
  getParentRoute: () => app,
  path: '/admin/$page',
  /** What a list is narrowed by, and whom or what a question is about. */
  validateSearch: (search): Partial<Record<(typeof ADMIN_SEARCH)[number], string>> =>
    Object.assign({}, ...ADMIN_SEARCH.map((name) => text(search, name))) as Partial<Record<string, string>>,
  component: lazyRouteComponent(() => import('./pages/admin.tsx'), 'AdminPage'),
})

const help = createRoute({
  getParentRoute: () => app,
  path: '/help',
  /** `chapter`: of the guide; the first one when left out. */
  validateSearch: (search): { chapter?: string } => text(search, 'chapter'),
  component: lazyRouteComponent(() => import('./pages/help.tsx'), 'HelpPage'),
})

const helpPage = createRoute({
  getParentRoute: () => app,
  path: '/help/$page',
  component: lazyRouteComponent(() => import('./pages/help.tsx'), 'HelpPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    setup,
    app.addChildren([dashboard, chat, files, approvals, modules, module, account, adminHome, admin, help, helpPage]),
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

/** A search parameter that is a text, or nothing. Numbers come parsed, and are turned back. */
function text<N extends string>(search: Record<string, unknown>, name: N): { [P in N]?: string } {
  const value = search[name]
  const written = typeof value === 'number' ? String(value) : value
  return (typeof written === 'string' && written !== '' ? { [name]: written } : {}) as { [P in N]?: string }
}
