import { useBlocker } from '@tanstack/react-router'
import { t } from '../../text/i18n.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

/**
 * Asks before unsaved changes are lost by opening another page or tab of it. Closing the browser tab asks in its own
 * words.
 */
export function UnsavedChanges({ dirty }: { readonly dirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      dirty && (current.pathname !== next.pathname || tabOf(current.search) !== tabOf(next.search)),
    enableBeforeUnload: () => dirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <ConfirmDialog
      title={t('unsaved.title')}
      text={t('unsaved.text')}
      verb={t('action.discard')}
      danger
      onClose={blocker.reset}
      onConfirm={blocker.proceed}
    />
  )
}

function tabOf(search: object): unknown {
  return 'tab' in search ? search.tab : undefined
}
