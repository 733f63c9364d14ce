import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Tooltip } from 'radix-ui'
import { useLanguage } from './i18n.ts'
import { Announcer } from './parts/announcer.tsx'
import { Toaster } from './parts/toast.tsx'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'
import { handleSessionEnd } from './session-end.ts'
import { followTheme } from './theme.ts'

handleSessionEnd(router)
followTheme()

/** The whole interface: cache, pages, and the two places where anything can speak up (toasts, live regions). */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Tooltip.Provider delayDuration={400} skipDelayDuration={300}>
        <RouterProvider key={useLanguage()} router={router} />
        <Toaster />
        <Announcer />
      </Tooltip.Provider>
    </QueryClientProvider>
  )
}
