import { lazy, Suspense, useSyncExternalStore } from 'react'
import { isConfirmationWanted, watchConfirmation } from './confirm-request.ts'

const IdentityDialog = lazy(async () => ({ default: (await import('./identity-dialog.tsx')).IdentityDialog }))

/** Shows the confirmation that a request for a fresh sign-in needs, whichever page made it. */
export function ConfirmHost() {
  if (!useSyncExternalStore(watchConfirmation, isConfirmationWanted)) return null
  return (
    <Suspense>
      <IdentityDialog />
    </Suspense>
  )
}
