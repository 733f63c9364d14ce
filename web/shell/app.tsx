import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { ConfirmHost } from '../account/confirm/confirm-host.tsx'
import { askToConfirm } from '../account/confirm/confirm-request.ts'
import { whenSignInAgain } from '../client/api.ts'
import { Announcer } from '../parts/feedback/announcer.tsx'
import { Toaster } from '../parts/feedback/toast.tsx'
import { queryClient } from '../client/query-client.ts'
import { router } from './router.tsx'
import { handleSessionEnd } from '../client/session-end.ts'
import { followTheme } from './theme.ts'

handleSessionEnd(router)
whenSignInAgain(askToConfirm)
followTheme()

/** The whole app: query cache, pages, toasts and live regions. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toaster />
      <Announcer />
      <ConfirmHost />
    </QueryClientProvider>
  )
}
